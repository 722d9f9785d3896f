// SPDX-License-Identifier: Apache-2.0
#pragma once
// The members of an operator, told once, beside them:
//   static constexpr std::tuple fields{field{"low", &clip::low}, field{"high", &clip::high}};
// What goes over members follows from that: printing, calls of the host's layers, C++ source,
// trained values, checks.
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace nvdlac {

// An array that may be in a file beside the program, which then tells its size alone.
enum class storage : bool { here, apart };
inline constexpr auto kept_apart = storage::apart;

template <class Struct, class T>
struct field {
  std::string_view name;
  T Struct::*member;
  storage where = storage::here;
};
template <class Struct, class T>
field(const char*, T Struct::*, storage = {}) -> field<Struct, T>;

template <class T>
concept has_fields = requires { T::fields; };

// The fields of Struct; none if it has no members to tell.
template <class Struct>
constexpr auto fields_of() {
  if constexpr (has_fields<Struct>) return Struct::fields;
  else return std::tuple<>{};
}

// Calls visit(field, member) for each field in its order.
template <class Struct, class Visit>
constexpr void visit_fields(Struct& of, Visit visit) {
  std::apply([&](const auto&... f) { (visit(f, of.*f.member), ...); },
             fields_of<std::remove_const_t<Struct>>());
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
