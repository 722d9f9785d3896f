// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <string_view>
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
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    if constexpr (std::is_void_v<result>) {
      static_cast<void>(((any.index() == Is && (f(std::get<Is>(any)), true)) || ...));
    } else {
      result r{};
      static_cast<void>(((any.index() == Is && (r = f(std::get<Is>(any)), true)) || ...));
      return r;
    }
  }(std::make_index_sequence<std::variant_size_v<std::remove_cvref_t<Variant>>>{});
}

template <class... Ts>
struct type_list {
  static constexpr std::size_t size = sizeof...(Ts);
};

template <class T, class List>
inline constexpr bool contains = false;
template <class T, class... Ts>
inline constexpr bool contains<T, type_list<Ts...>> = (std::same_as<T, Ts> || ...);

// The list with more types at its end.
template <class List, class... Ts>
struct extended;
template <class... Listed, class... Ts>
struct extended<type_list<Listed...>, Ts...> {
  using type = type_list<Listed..., Ts...>;
};

// Calls f(std::type_identity<T>{}) for each type in order.
template <class... Ts, class F>
constexpr void for_each(type_list<Ts...>, F&& f) {
  (f(std::type_identity<Ts>{}), ...);
}

// Calls f like for_each until it returns true; whether it did.
template <class... Ts, class F>
constexpr bool any_of(type_list<Ts...>, F&& f) {
  return (f(std::type_identity<Ts>{}) || ...);
}

// The name of T as the compiler prints it, without its namespaces: "nv_small".
template <class T>
constexpr std::string_view type_name() {
  std::string_view s = __PRETTY_FUNCTION__;
  s.remove_prefix(s.find("T = ") + 4);
  s = s.substr(0, s.find_first_of(";]"));
  const auto colon = s.rfind("::");
  return colon == std::string_view::npos ? s : s.substr(colon + 2);
}

}  // namespace nvdlac
