// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// One input in the CBUF: [y][x][channel], without padding; for Winograd the extended input of the
// extended channels, with it.
struct cbuf_input {
  std::vector<std::int8_t> data;     // int8
  std::vector<std::int16_t> data16;  // int16, or the bits of fp16
};

// The contents of the CBUF that CSC reads in one layer: the input of one batch and the weights, not
// compressed, elements of 1 or 2 bytes.
struct cbuf_contents : cbuf_input {
  std::vector<std::uint8_t> weights;
  std::uint32_t width = 0, height = 0, channels = 0;
};

// The part of one layer that CSC, CMAC and CACC compute.
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

// The image formats of CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT.
struct pixel_format {
  // Bits [position, position + width) of a pixel: of the bytes of plane 0, then those of plane 1.
  struct field {
    std::uint8_t position = 0, width = 0;
  };

  std::uint8_t channels = 0;
  std::uint8_t plane0_bytes = 0, plane1_bytes = 0;  // per pixel; plane 1 is of Y + UV only
  hw::precision precision = hw::precision::int8;    // of a channel, as IN_PRECISION says it
  std::array<field, 4> fields{};

  constexpr bool planar() const { return plane1_bytes != 0; }
  constexpr std::uint32_t bytes() const { return plane0_bytes + std::uint32_t{plane1_bytes}; }

  // Channel `c` of the pixel; 10-bit colours and 2-bit alphas are moved to the top of 16 bits.
  constexpr std::uint32_t extract(std::uint64_t pixel, std::size_t c) const {
    const auto f = fields[c];
    const auto v = static_cast<std::uint32_t>(pixel >> f.position) & ((1u << f.width) - 1);
    return f.width < 8 || f.width == 10 ? v << (16 - f.width) : v;
  }
};

namespace detail {

// Channel i is element order[i] of `bits` bits.
constexpr pixel_format elements(hw::precision p, std::uint8_t channels, std::uint8_t bits,
                                std::array<std::uint8_t, 4> order) {
  pixel_format f{.channels = channels, .precision = p};
  for (std::size_t c = 0; c < channels; ++c)
    f.fields[c] = {static_cast<std::uint8_t>(order[c] * bits), bits};
  f.plane0_bytes = static_cast<std::uint8_t>(channels * bits / 8);
  return f;
}

// Y in plane 0, two colours in plane 1.
constexpr pixel_format semi_planar(hw::precision p, std::uint8_t bits, bool u_first) {
  auto f = elements(p, 3, bits,
                    u_first ? std::array<std::uint8_t, 4>{0, 2, 1}
                            : std::array<std::uint8_t, 4>{0, 1, 2});
  f.plane0_bytes = static_cast<std::uint8_t>(bits / 8);
  f.plane1_bytes = static_cast<std::uint8_t>(bits / 4);
  return f;
}

// Three colours of 10 bits and an alpha of 2 at these bits of a word of 32.
constexpr pixel_format packed10(std::uint8_t r, std::uint8_t g, std::uint8_t b, std::uint8_t a) {
  return {.channels = 4,
          .plane0_bytes = 4,
          .precision = hw::precision::int16,
          .fields = {{{r, 10}, {g, 10}, {b, 10}, {a, 2}}}};
}

}  // namespace detail

// Empty: no format has that code.
constexpr std::optional<pixel_format> find_pixel_format(std::uint32_t code) {
  using enum hw::precision;
  using detail::elements, detail::packed10, detail::semi_planar;
  switch (code) {
    case 0: return elements(int8, 1, 8, {0});                            // R8
    case 1: case 2: case 3: case 4: return elements(int16, 1, 16, {0});  // R10, R12, R16, R16_I
    case 5: return elements(fp16, 1, 16, {0});                           // R16_F
    case 6: case 7: return elements(int16, 4, 16, {0, 1, 2, 3});  // A16B16G16R16, X16B16G16R16
    case 8: return elements(fp16, 4, 16, {0, 1, 2, 3});           // A16B16G16R16_F
    case 9: return elements(int16, 4, 16, {2, 1, 0, 3});          // A16Y16U16V16
    case 10: return elements(int16, 4, 16, {1, 2, 3, 0});         // V16U16Y16A16
    case 11: return elements(fp16, 4, 16, {2, 1, 0, 3});          // A16Y16U16V16_F
    case 12: case 16: return elements(int8, 4, 8, {0, 1, 2, 3});  // A8B8G8R8, X8B8G8R8
    case 13: case 17: case 26:                                    // A8R8G8B8, X8R8G8B8, A8Y8U8V8
      return elements(int8, 4, 8, {2, 1, 0, 3});
    case 14: case 18: case 27:                                    // B8G8R8A8, B8G8R8X8, V8U8Y8A8
      return elements(int8, 4, 8, {1, 2, 3, 0});
    case 15: case 19: return elements(int8, 4, 8, {3, 2, 1, 0});  // R8G8B8A8, R8G8B8X8
    case 20: return packed10(0, 10, 20, 30);                      // A2B10G10R10
    case 21: case 24: return packed10(20, 10, 0, 30);             // A2R10G10B10, A2Y10U10V10
    case 22: case 25: return packed10(2, 12, 22, 0);              // B10G10R10A2, V10U10Y10A2
    case 23: return packed10(22, 12, 2, 0);                       // R10G10B10A2
    case 28: return semi_planar(int8, 8, true);                   // Y8, U8V8
    case 29: return semi_planar(int8, 8, false);                  // Y8, V8U8
    case 30: case 32: case 34: return semi_planar(int16, 16, true);   // Y10, Y12, Y16: U, V
    case 31: case 33: case 35: return semi_planar(int16, 16, false);  // V, U
    default: return std::nullopt;
  }
}

// CDMA: brings the input cube or image and the weights of one convolution into the CBUF, the input
// through its converter.
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

// The counts of the hardware for one layer, and the bytes that it moved.
struct convolution_counts {
  std::uint32_t saturated = 0;  // by CACC's last rounding
  std::uint32_t nan_data = 0, inf_data = 0, nan_weights = 0, inf_weights = 0;
  std::uint64_t data_bytes = 0;  // of the input, read from memory
};

// fp16 of an integer of 17 bits: above the greatest number it is that.
constexpr std::uint32_t cdma_float(std::int32_t x) {
  return from_integer<fp16>(std::clamp(x, -65504, 65504)).bits;
}

// Converts an element's bits by its channel's converter; fp16 passes. The low 8 or 16 bits count.
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
