// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/arithmetic/fp16_mac_avx2.hpp>

namespace nvdlac::arithmetic {

// sum_of_products in the fastest way of this processor.
inline fp16_pass quick_sum_of_products(std::span<const std::uint16_t> data,
                                       std::span<const std::uint16_t> weights) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return avx2::sum_of_products(data, weights);
#endif
  return sum_of_products(data, weights);
}

}  // namespace nvdlac::arithmetic
