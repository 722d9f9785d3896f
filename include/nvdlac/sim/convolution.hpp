// SPDX-License-Identifier: Apache-2.0
#pragma once
// What CSC, CMAC and CACC compute of one layer.
#include <nvdlac/fixed.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::sim {

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

}  // namespace nvdlac::sim
