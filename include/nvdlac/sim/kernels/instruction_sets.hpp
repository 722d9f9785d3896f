// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/sim/kernels/dot_vnni.hpp>

namespace nvdlac::sim {

// Those of this processor, the fastest first.
inline const std::vector<const instruction_set*>& instruction_sets() {
  static const auto sets = [] {
    std::vector<const instruction_set*> found;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl")) {
      if (__builtin_cpu_supports("avx512vbmi2"))
        found.push_back(&instruction_set_of<vnni_vbmi2>);
      found.push_back(&instruction_set_of<vnni>);
    }
    if (__builtin_cpu_supports("avx2")) found.push_back(&instruction_set_of<avx2>);
#endif
    found.push_back(&instruction_set_of<portable>);
    return found;
  }();
  return sets;
}

}  // namespace nvdlac::sim
