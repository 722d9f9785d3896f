// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int16, one surface of output
// channels at a time.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/conv/wide_dot.hpp>

namespace nvdlac::sim {

// The accumulator has 48 bits and saturates at each addition. A kernel has at most 2^17 products
// of at most 2^30, so only the sum of all can leave them, by 1: saturating once is the same.
constexpr std::int64_t cacc_round_int16(std::int64_t sum, int truncate) {
  return round_shift(saturate<48>(sum), truncate);
}

class int16_core {
 public:
  // Spreads the input over padded lines.
  void prepare(const convolution& c, const cbuf_contents& cbuf);

  // Surface `s` of `lanes` output channels: out[(y * width + x) * lanes + lane], 32 bits for SDP.
  // Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`: channels of one
  // weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out);

  // Results that the last rounding saturated (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return saturated_; }

 private:
  void pixel(const std::int16_t* x, std::size_t k, std::size_t kernels, std::int32_t* to);

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::int16_t> lines_, weights_;
  std::vector<std::size_t> offsets_;
  std::size_t line_ = 0, run_ = 0, length_ = 0, runs_ = 1, step_ = 0;
  wide_dot dot_ = wide_dot4();
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/int16_core.ipp>
#endif
