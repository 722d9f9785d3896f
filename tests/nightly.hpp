// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many cases a test draws at random.
#include <concepts>
#include <cstdlib>

// Of `all` random cases those that are drawn: all of them at night (NVDLAC_NIGHTLY is set), which
// takes minutes, and a third by day.
template <std::integral Number>
Number drawn(Number all) {
  static const bool night = std::getenv("NVDLAC_NIGHTLY") != nullptr;
  return night ? all : all / 3;
}
