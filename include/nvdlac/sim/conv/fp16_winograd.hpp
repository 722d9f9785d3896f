// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/kernels/fp16_lanes.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// CSC, CMAC and CACC: Winograd's convolution of the CBUF's contents in fp16. A step is a block of
// 4 extended channels.
class fp16_winograd_core {
 public:
  explicit fp16_winograd_core(const fp16_way& way = fp16_ways().front()) : way_(way) {}

  // So many share each surface.
  void set_threads(std::size_t n) { team_.resize(n); }

  // Transforms the tiles of the extended input.
  void prepare(const convolution& c, const cbuf_contents& cbuf);

  // As that of fp16_core.
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t,
               std::span<std::int32_t> out);

  std::uint32_t saturated() const { return 0; }

 private:
  using lane_nans = std::array<std::uint16_t, fp16_lane_count>;
  // The elements of a tile's block that are not zero, position by position.
  struct step {
    std::size_t first[17]{};
    std::uint16_t nan = 0;
  };

  void transform(std::size_t y, std::size_t x, std::size_t block);

  // Group: block of 4 channels, kernel, position, channel.
  void unpack(std::size_t kernel, std::size_t group, std::size_t k);

  // The four outputs of tile x, y.
  void outputs(std::size_t y, std::size_t x, std::size_t kernels, std::size_t lanes,
               std::span<std::int32_t> out) const;

  void add_step(const step& s, const fp16_weights* weights, std::size_t kernels,
                double (&sums)[4][fp16_lane_count]) const;

  fp16_way way_;
  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::size_t blocks_ = 1;
  std::vector<fp16_datum> data_;
  std::vector<step> steps_;  // [tile][block]
  std::vector<fp16_weights> weights_;  // [block][position][channel]
  std::vector<lane_nans> weight_nans_;
  team team_;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/fp16_winograd.ipp>
#endif
