// SPDX-License-Identifier: Apache-2.0
#pragma once
// The members of an operator, told once, beside them, to whoever asks:
//   static constexpr void fields(auto&& field) {
//     field("low", &clip::low);
//     field("high", &clip::high);
//   }
// What goes over members follows from that: printing, calls of the host's layers, C++ source,
// trained values, checks. It costs the compiler nothing until then.
#include <string>
#include <string_view>
#include <type_traits>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// An array that may be in a file beside the program, which then tells its size alone.
enum class storage : bool { here, apart };
inline constexpr auto kept_apart = storage::apart;

template <class Struct, class T>
struct field {
  std::string_view name;
  T Struct::*member;
  storage where;
};
template <class Struct, class T>
field(const char*, T Struct::*, storage) -> field<Struct, T>;

template <class T>
concept has_fields = requires { T::fields(0); };

// Calls visit(field, member) for each field in its order; a struct without any has none to tell.
template <class Struct, class Visit>
constexpr void visit_fields(Struct& of, Visit visit) {
  if constexpr (has_fields<std::remove_const_t<Struct>>)
    Struct::fields([&](const char* name, auto member, storage where = storage::here) {
      visit(field{name, member, where}, of.*member);
    });
}

// A value as C++ writes it: {0, 3, 4}, {{1, 2, 3}, true}.
template <class T>
std::string in_braces(const T& value) {
  if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  else if constexpr (std::is_integral_v<T>) return std::to_string(value);
  else {
    std::string all;
    const auto add = [&](const auto& each) { all += (all.empty() ? "" : ", ") + in_braces(each); };
    if constexpr (has_fields<T>) visit_fields(value, [&](const auto&, const auto& m) { add(m); });
    else for (const auto& each : value) add(each);
    return '{' + all + '}';
  }
}

}  // namespace nvdlac
