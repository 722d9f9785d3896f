// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSC, CMAC and CACC: Winograd's convolution of the CBUF's contents in int8 and int16.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/conv/int16_core.hpp>
#include <nvdlac/sim/conv/wide_dot.hpp>

namespace nvdlac::sim {

// CSC, CMAC and CACC: Winograd's convolution of the CBUF's contents in int8 and int16.
class winograd_core {
 public:
  // Transforms the tiles of the extended input.
  void prepare(const convolution& c, const cbuf_contents& cbuf);

  // As that of int16_core. The weights' blocks are of 4 channels.
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t,
               std::span<std::int32_t> out);

  std::uint32_t saturated() const { return saturated_; }

 private:
  template <int Bits, class T>
  void transform(const std::vector<T>& data, std::size_t y, std::size_t x, std::int16_t* to) const;

  // Group: block of 4 channels, kernel, position, channel.
  template <class T>
  void unpack(std::size_t kernel, std::size_t group, std::size_t k) {
    const auto start = kernel / group * group;
    const auto in_group = std::min<std::size_t>(group, layer_.kernels - start);
    const auto* from = cbuf_->weights.data() + start * layer_.kernel_elements() * sizeof(T);
    for (std::size_t c = 0; c < layer_.channels; ++c)
      for (std::size_t i = 0; i < 16; ++i) {
        const auto at = ((c / 4 * in_group + (kernel - start)) * 16 + i) * 4 + c % 4;
        T w;
        std::memcpy(&w, from + at * sizeof(T), sizeof(T));
        weights_[(k * 16 + i) * length_ + c] = w;
      }
  }

  // Four outputs of each of four kernels.
  void outputs(std::size_t y, std::size_t x, std::size_t k, std::size_t kernels, std::size_t lanes,
               std::span<std::int32_t> out);

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::int16_t> inputs_, weights_;
  std::size_t length_ = 0, tiles_x_ = 0;
  wide_dot dot_ = wide_dot4();
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/winograd.ipp>
#endif
