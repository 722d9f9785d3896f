// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::sim {

// One input in the CBUF: [y][x][channel], without padding; for Winograd the extended input of the
// extended channels, with it.
struct cbuf_input {
  std::vector<std::int8_t> data;     // int8
  std::vector<std::int16_t> data16;  // int16, or the bits of fp16
};

// What CSC reads of the CBUF in one layer: the input of one batch and the weights, not compressed,
// elements of 1 or 2 bytes.
struct cbuf_contents : cbuf_input {
  std::vector<std::uint8_t> weights;
  std::uint32_t width = 0, height = 0, channels = 0;
};

// What CSC, CMAC and CACC compute of one layer.
struct convolution {
  std::uint32_t channels = 1, kernel_width = 1, kernel_height = 1, kernels = 1;
  std::uint32_t stride_x = 1, stride_y = 1, dilation_x = 1, dilation_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0;
  std::int32_t pad_value = 0;
  std::uint32_t out_width = 1, out_height = 1;
  std::uint32_t y_extension = 1;  // lines of an image that one MAC step takes
  bool pixel = false;             // weights in the order of an image: width joined to channels
  int truncate = 0;               // CACC's CLIP_TRUNCATE
  hw::precision precision = hw::precision::int8;  // of data, weights and products
  // Winograd: `channels` are the extended ones; the CBUF holds the extended input with its padding,
  // (out_width + 4) x (out_height + 4); kernels have 4x4 transformed weights for each channel in
  // the order block of 4 channels, kernel of the group, line, column, channel; strides are 1.
  bool winograd = false;
  int pra_truncate = 0;  // the shift of the transformed data

  std::uint64_t kernel_elements() const {
    return std::uint64_t{channels} * kernel_width * kernel_height;
  }
  std::uint64_t reach_x() const { return std::uint64_t{kernel_width - 1} * dilation_x + 1; }
  std::uint64_t reach_y() const { return std::uint64_t{kernel_height - 1} * dilation_y + 1; }
  std::uint64_t macs() const { return kernel_elements() * kernels * out_width * out_height; }
};

// The accumulator's result for SDP: rounded, saturated to 32 bits.
constexpr std::int64_t cacc_round(std::int64_t sum, int truncate) {
  return round_shift(saturate<34>(sum), truncate);
}

// Where the elements of one kernel lie among the weights of a direct convolution.
// f(from, line, column, first, n): the `n` elements from index `from` of the weights are those of
// kernel `k` in `line` and `column`, channels [first, first + n). An image has one column, of
// kernel width x channels. `group`: kernels of a kernel group; `block`: channels of a block.
template <class F>
constexpr void each_weight_run(const convolution& c, std::size_t group, std::size_t block,
                               std::size_t k, F&& f) {
  const std::size_t start = k / group * group, index = k - start;
  const auto in_group = std::min<std::size_t>(group, c.kernels - start);
  auto from = start * static_cast<std::size_t>(c.kernel_elements());
  const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
  const std::size_t columns = c.pixel ? 1 : c.kernel_width;
  if (c.y_extension > 1) {  // some lines at a time, kernel, line
    for (std::size_t r0 = 0; r0 < c.kernel_height; r0 += c.y_extension) {
      const auto rows = std::min<std::size_t>(c.y_extension, c.kernel_height - r0);
      for (std::size_t r = 0; r < rows; ++r)
        f(from + (index * rows + r) * channels, r0 + r, std::size_t{0}, std::size_t{0}, channels);
      from += in_group * rows * channels;
    }
    return;
  }
  for (std::size_t c0 = 0; c0 < channels; c0 += block) {  // block, line, column, kernel
    const auto n = std::min(block, channels - c0);
    for (std::size_t r = 0; r < c.kernel_height; ++r)
      for (std::size_t column = 0; column < columns; ++column)
        f(from + ((r * columns + column) * in_group + index) * n, r, column, c0, n);
    from += n * c.kernel_height * columns * in_group;
  }
}

}  // namespace nvdlac::sim
