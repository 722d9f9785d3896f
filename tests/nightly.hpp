// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many cases a test draws at random.
#include <concepts>
#include <cstdlib>

inline bool is_night() {
  static const bool night = std::getenv("NVDLAC_NIGHTLY") != nullptr;
  return night;
}

// The number that is drawn of `all` random cases: all of them at night (NVDLAC_NIGHTLY is set),
// which takes minutes, and a third by day.
template <std::integral Number>
Number drawn(Number all) {
  return is_night() ? all : all / 3;
}

// How often at least something occurs in the cases drawn, of which `all` occur at night. A third of
// the cases need not have quite a third of it.
template <std::integral Number>
Number occurring(Number all) {
  return is_night() ? all : all / 4;
}
