// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layer of PDP, and what its pooling in integers and in fp16 have alike.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/memory.hpp>

namespace nvdlac::sim {

enum class pooling : std::uint8_t { average, max, min };  // codes of POOLING_METHOD

// The parts of a split line: widths of input and output, first, middle (all but two) and last. A
// part reads the columns again that its first windows share with the part before.
struct pdp_split {
  std::uint64_t parts = 1;
  std::array<std::uint64_t, 3> in{}, out{};
};

struct pdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1, out_width = 1, out_height = 1;
  hw::precision precision = hw::precision::int8;
  pooling method = pooling::max;
  bool flying = false;  // the input comes from SDP
  bool nan_to_zero = false;
  std::uint32_t kernel_width = 1, kernel_height = 1, stride_x = 1, stride_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0, pad_right = 0, pad_bottom = 0;
  // In fp16 the bits of fp17.
  std::array<std::int32_t, 8> pad_value{};  // of n missing elements
  std::uint32_t reciprocal_width = 0, reciprocal_height = 0;
  pdp_split split{};
  cube source{}, destination{};
};

// The average of a window: its sum times both reciprocals, rounded after each.
constexpr std::int64_t pdp_average(std::int64_t sum, std::uint32_t reciprocal_width,
                                   std::uint32_t reciprocal_height) {
  return round_shift(round_shift(sum * reciprocal_width, 16) * reciprocal_height, 16);
}

// PAD_VALUE of `missing` elements: the registers hold 19 bits, of which a precision uses fewer.
constexpr std::int32_t pdp_pad_value(std::size_t missing, std::uint32_t raw,
                                     hw::precision p = hw::precision::int8) {
  if (p == hw::precision::fp16) return static_cast<std::int32_t>(raw & 0x1ffff);
  constexpr std::array<int, 8> sign_bit{0, 7, 8, 9, 9, 10, 10, 10};
  const int shift = 31 - sign_bit[missing] - (p == hw::precision::int16 ? 8 : 0);
  return static_cast<std::int32_t>(raw << shift) >> shift;
}

// The elements of a window that exist, along one axis.
struct pdp_window {
  std::size_t begin, end, missing;

  constexpr pdp_window(std::size_t index, std::size_t stride, std::size_t pad, std::size_t kernel,
                       std::size_t size)
      : begin(index * stride < pad ? 0 : index * stride - pad),
        end(std::min(index * stride + kernel < pad ? 0 : index * stride + kernel - pad, size)),
        missing(kernel - (end - begin)) {}
};

}  // namespace nvdlac::sim
