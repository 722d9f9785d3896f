// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dot products of vectors of int16 in full width: every sum of int16 products is exact.
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/base/version.hpp>

namespace nvdlac::sim {

// Four kernels over segments: segment i begins at x + offsets[i] and, in kernel k, at weights +
// k * step + i * length. `length` is a multiple of 16; all segments together are below 2^19.
struct wide_operands {
  std::span<const std::size_t> offsets{};
  std::size_t length = 0;
  const std::int16_t* weights = nullptr;
  std::size_t step = 0;
};

using wide_dot = void (*)(const std::int16_t* x, const wide_operands& d, std::int64_t* sums);

void wide_dot4_portable(const std::int16_t* x, const wide_operands& d, std::int64_t* sums);

// The one for this processor.
wide_dot wide_dot4();

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/wide_dot.ipp>
#endif
