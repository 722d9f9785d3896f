// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

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

namespace detail {

template <class... Lists>
struct list_joiner;
template <class... Ts>
struct list_joiner<type_list<Ts...>> {
  using type = type_list<Ts...>;
};
template <class... As, class... Bs, class... Further>
struct list_joiner<type_list<As...>, type_list<Bs...>, Further...>
    : list_joiner<type_list<As..., Bs...>, Further...> {};

}  // namespace detail

// The types of several lists, one after the other.
template <class... Lists>
using joined_lists = typename detail::list_joiner<Lists...>::type;

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
