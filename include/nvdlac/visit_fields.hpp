// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is done with each member of an operator that tells its `fields`.
#include <string>
#include <tuple>
#include <type_traits>

#include <boost/hana/ext/std/tuple.hpp>
#include <boost/hana/for_each.hpp>

#include <nvdlac/fields.hpp>

namespace nvdlac {

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
  boost::hana::for_each(fields_of<std::remove_const_t<Struct>>(),
                        [&](const auto& f) { visit(f, of.*f.member); });
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
