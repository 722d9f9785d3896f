// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// f(what the variant holds). std::visit makes a table of functions for each f, which costs the
// compiler eight templates for each alternative; comparing the index costs it one. The result is of
// the type that f gives for the first alternative, and has a default.
template <class F, class Variant>
constexpr auto visit(F&& f, Variant&& any) {
  using result = std::decay_t<decltype(f(std::get<0>(any)))>;
  if (any.valueless_by_exception()) throw std::bad_variant_access{};
  return [&, index = any.index()]<std::size_t... Is>(std::index_sequence<Is...>) {
    if constexpr (std::is_void_v<result>) {
      static_cast<void>(((index == Is && (f(std::get<Is>(any)), true)) || ...));
    } else {
      result r{};
      static_cast<void>(((index == Is && (r = f(std::get<Is>(any)), true)) || ...));
      return r;
    }
  }(std::make_index_sequence<std::variant_size_v<std::remove_cvref_t<Variant>>>{});
}

}  // namespace nvdlac
