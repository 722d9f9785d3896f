// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac {

template <class...>
inline constexpr bool never = false;

// Labels that make a failed assertion say what it is about.
namespace failed {
template <class>
struct operator_;
template <class>
struct on_hardware;
}  // namespace failed

}  // namespace nvdlac

namespace nvdlac {

// What a compile error shows of a layer without a name: its number in the network, from 0 on.
struct layer_number {
  std::size_t number;
  char name = 0;
};

namespace detail {

template <auto Value>
inline constexpr const auto* address_of = &Value;

}  // namespace detail

// Where the characters of each layer's name are, which is what a compiler prints of it.
template <std::size_t N>
constexpr std::array<const char*, N> shown_names(const std::array<std::string_view, N>& names) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<const char*, N>{
        (names[I].empty() ? &detail::address_of<layer_number{I}>->name : names[I].data())...};
  }(std::make_index_sequence<N>{});
}

// Ends the compiler's evaluation with an error that shows what `layer` points to and the type
// Label, the only two things of a constant expression that both compilers print in their first
// lines. To do so it computes what no constant expression may: g++ prints the object that it
// cannot modify at the place of the user's line, clang the addresses that it cannot compare. At
// run time it does nothing.
template <class Label>
constexpr bool refuse(const char* layer) {
  if (!std::is_constant_evaluated()) return false;
#ifdef __clang__
  const void* const name = layer;
  return name < detail::address_of<Label{}>;  // nvdlac: see docs/troubleshooting.md
#else
  return (const_cast<char&>(*layer) = 0) != 0;
#endif
}

}  // namespace nvdlac
