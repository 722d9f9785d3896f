// SPDX-License-Identifier: Apache-2.0
#pragma once
// CDMA: brings the input cube or image and the weights of one convolution into the CBUF, the input
// through its converter.
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/sim/conv/contents.hpp>
#include <nvdlac/sim/conv/pixel_format.hpp>
#include <nvdlac/sim/float_format.hpp>
#include <nvdlac/sim/memory.hpp>

namespace nvdlac::sim {

struct cdma_layer {
  bool pixel = false, winograd = false;
  hw::precision in = hw::precision::int8;         // in memory
  hw::precision precision = hw::precision::int8;  // in the CBUF
  // The input in the CBUF; for Winograd without its padding, not extended.
  std::uint32_t width = 1, height = 1, channels = 1;
  std::uint32_t batches = 1;
  std::uint64_t batch_stride = 0;
  std::uint32_t stride_x = 1, stride_y = 1;  // by which Winograd spreads the input over channels
  std::uint32_t pad_left = 0, pad_right = 0, pad_top = 0, pad_bottom = 0;
  std::int32_t pad_value = 0;

  cube source{};  // feature data, or plane 0 of an image (unit: the bytes of a pixel)
  cube plane1{};  // the UV plane of a semi-planar image
  pixel_format format{};
  std::uint32_t offset0 = 0, offset1 = 0;  // bytes skipped at the start of a line of each plane
  bool is_signed = true;

  bool convert = false;
  std::array<converter, 4> converters{};  // per channel of an image; [0] for feature data
  bool nan_to_zero = false;

  memory* weight_ram = nullptr;
  std::uint64_t weight_address = 0;
  std::uint32_t kernels = 1, kernel_bytes = 1, weight_bytes = 0;
  bool compressed = false;
  std::uint64_t sizes_address = 0, mask_address = 0;  // WGS and WMB
  std::uint32_t mask_bytes = 0;

  std::uint32_t entries = 1, data_banks = 1, weight_banks = 1;
  bool brings_data = true, brings_weights = true;  // else it reuses what is there
  bool keep_data = false, keep_weights = false;    // for the next operation

  // The input as CSC sees it.
  std::uint32_t padded_width() const { return pad_left + width + pad_right; }
  std::uint32_t padded_height() const { return pad_top + height + pad_bottom; }
};

// What the hardware counts of one layer, and what it moved.
struct convolution_counts {
  std::uint32_t saturated = 0;  // by CACC's last rounding
  std::uint32_t nan_data = 0, inf_data = 0, nan_weights = 0, inf_weights = 0;
  std::uint64_t data_bytes = 0;  // of the input, read from memory
};

// fp16 of an integer of 17 bits: above the greatest number it is that.
constexpr std::uint32_t cdma_float(std::int32_t x) {
  return from_integer<fp16>(std::clamp(x, -65504, 65504)).bits;
}

// What one channel's converter makes of an element's bits; fp16 passes. The low 8 or 16 bits count.
constexpr std::int32_t cdma_convert(const cdma_layer& l, std::size_t channel, std::uint32_t bits) {
  using enum hw::precision;
  const bool byte = l.in == int8;
  const std::int32_t with_sign = byte ? static_cast<std::int8_t>(bits)
                                      : static_cast<std::int16_t>(bits);
  if (!l.convert || l.in == fp16) return with_sign;
  const auto x = l.is_signed ? with_sign : static_cast<std::int32_t>(bits);
  const auto y = l.converters[channel](x);
  if (l.precision == int8) return static_cast<std::int32_t>(saturate<8>(y));
  if (l.precision == int16) return static_cast<std::int32_t>(saturate<16>(y));
  return static_cast<std::int32_t>(cdma_float(y));
}

// The converter's result for each byte: a converter from int8 to int8 knows no other inputs.
constexpr std::array<std::int8_t, 256> conversion_table(const cdma_layer& l, std::size_t channel) {
  std::array<std::int8_t, 256> table{};
  for (std::uint32_t v = 0; v < 256; ++v)
    table[v] = static_cast<std::int8_t>(cdma_convert(l, channel, v));
  return table;
}

}  // namespace nvdlac::sim
