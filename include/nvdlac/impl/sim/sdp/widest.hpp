// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/version.hpp>

namespace nvdlac::sim {

// Plain loops in the widest vectors of the processor, chosen at run time. Compilers vectorise a
// loop at -O2 when its length is known and its arrays do not overlap (__restrict).
#if defined(__x86_64__) && defined(__GNUC__)

inline bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

template <auto Loop, class... A>
[[gnu::target("avx2")]] void on_avx2(A... a) {
  Loop(a...);
}

// Loop(a...), a function that is always inlined.
template <auto Loop, class... A>
void on_widest(A... a) {
  if (has_avx2()) on_avx2<Loop>(a...);
  else Loop(a...);
}

#else

template <auto Loop, class... A>
void on_widest(A... a) {
  Loop(a...);
}

#endif

}  // namespace nvdlac::sim
