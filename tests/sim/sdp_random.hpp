// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers for the tests of SDP, the same in every run.
#include <cstdint>
#include <random>

namespace sdp_random {

inline std::mt19937 bits(11);

inline std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits()) % n; }
inline std::uint32_t one_to(std::uint32_t n) { return below(n) + 1; }
inline bool chance(std::uint32_t n) { return below(n) == 0; }
template <class T>
T any() {
  return static_cast<T>(bits());
}

}  // namespace sdp_random
