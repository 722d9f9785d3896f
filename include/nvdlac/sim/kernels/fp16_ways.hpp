// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/sim/kernels/fp16_avx2.hpp>
#include <nvdlac/sim/kernels/fp16_lanes.hpp>

namespace nvdlac::sim {

// Those of this processor, the fastest first. All give the same bits.
inline const std::vector<fp16_way>& fp16_ways() {
  static const auto ways = [] {
    std::vector<fp16_way> found;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) found.push_back(fp16_avx2::way);
#endif
    found.push_back(fp16_portable::way);
    return found;
  }();
  return ways;
}

}  // namespace nvdlac::sim
