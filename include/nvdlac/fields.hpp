// SPDX-License-Identifier: Apache-2.0
#pragma once
// The members of an operator, told once, beside them:
//   static constexpr std::tuple fields{field{"low", &clip::low}, field{"high", &clip::high}};
// What goes over members follows from that (visit_fields.hpp): printing, calls of the host's layers,
// C++ source, trained values, checks.
#include <string_view>

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

}  // namespace nvdlac
