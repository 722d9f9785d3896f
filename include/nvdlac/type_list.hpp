// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>

namespace nvdlac {

// A list of types: operators, configurations, passes.
template <class... Ts>
struct type_list {
  static constexpr std::size_t size = sizeof...(Ts);

  template <class T>
  static constexpr bool contains = (std::same_as<T, Ts> || ...);

  // f.template operator()<T>() for each T in order.
  template <class F>
  static constexpr void for_each(F&& f) {
    (f.template operator()<Ts>(), ...);
  }
};

}  // namespace nvdlac
