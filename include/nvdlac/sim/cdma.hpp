// SPDX-License-Identifier: Apache-2.0
#pragma once
// CDMA: brings the input cube or image and the weights of one convolution into the CBUF, the input
// through its converter.
#include <nvdlac/fixed.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/sim/cube.hpp>
#include <nvdlac/sim/pixel_format.hpp>

namespace nvdlac::sim {

struct cdma_layer {
  bool pixel = false;
  std::uint32_t width = 1, height = 1, channels = 1;
  std::uint32_t pad_left = 0, pad_right = 0, pad_top = 0, pad_bottom = 0;
  std::int32_t pad_value = 0;

  cube source{};  // feature data, or plane 0 of an image (unit: the bytes of a pixel)
  cube plane1{};  // the UV plane of a semi-planar image
  pixel_format format{};
  std::uint32_t x_offset = 0;  // pixels skipped at the start of a line
  bool is_signed = true;

  bool convert = false;
  std::array<converter, 4> converters{};  // per channel of an image; [0] for feature data

  memory* weight_ram = nullptr;
  std::uint64_t weight_address = 0;
  std::uint32_t kernels = 1, kernel_bytes = 1, weight_bytes = 0;

  std::uint32_t entries = 1, data_banks = 1, weight_banks = 1;
  bool data_reuse = false, weight_reuse = false, keep_data = false, keep_weights = false;
};

// What lies in the CBUF. `held` until the next convolution if that is to reuse it.
struct cbuf_contents {
  std::vector<std::int8_t> data;     // int8: [y][x][channel], without padding
  std::vector<std::int16_t> data16;  // int16, or the bits of fp16
  std::vector<std::uint8_t> weights;  // not compressed, elements of 1 or 2 bytes
  bool data_held = false, weights_held = false;
  bool pixel = false;
  std::uint32_t width = 0, height = 0, channels = 0, data_banks = 0, weight_banks = 0;
};

// The converter's result for each byte: it knows no other inputs.
constexpr std::array<std::int8_t, 256> conversion_table(const cdma_layer& l, std::size_t channel) {
  std::array<std::int8_t, 256> table{};
  for (std::int32_t v = 0; v < 256; ++v) {
    const std::int32_t x = l.is_signed ? static_cast<std::int8_t>(v) : v;
    table[static_cast<std::size_t>(v)] = static_cast<std::int8_t>(
        l.convert ? saturate<8>(l.converters[channel](x)) : static_cast<std::int8_t>(v));
  }
  return table;
}

// Surfaces of atoms to [y][x][channel].
inline void load_feature(const cdma_layer& l, std::vector<std::uint8_t>& surface,
                         std::vector<std::int8_t>& data) {
  const std::size_t atom = l.source.unit, channels = l.channels;
  const std::size_t pixels = std::size_t{l.width} * l.height;
  surface.resize(pixels * atom);
  data.resize(pixels * channels);
  for (std::size_t s = 0; s * atom < channels; ++s) {
    read_surface(l.source, s, surface);
    const auto lanes = std::min(atom, channels - s * atom);
    const auto* from = surface.data();
    auto* to = data.data() + s * atom;
    for (std::size_t p = 0; p < pixels; ++p, from += atom, to += channels)
      std::memcpy(to, from, lanes);
  }
  if (!l.convert) return;
  const auto table = conversion_table(l, 0);
  for (auto& v : data) v = table[static_cast<std::uint8_t>(v)];
}

// Lines of pixels to [y][x][channel].
inline void load_pixels(const cdma_layer& l, std::vector<std::uint8_t>& line,
                        std::vector<std::int8_t>& data) {
  const auto& f = l.format;
  const std::size_t n0 = f.plane0_bytes, n1 = f.plane1_bytes, width = l.width;
  std::array<std::array<std::int8_t, 256>, 4> tables{};
  for (std::size_t c = 0; c < l.channels; ++c) tables[c] = conversion_table(l, c);
  line.resize(width * (n0 + n1));
  data.resize(width * l.height * l.channels);
  auto* to = data.data();
  for (std::size_t y = 0; y < l.height; ++y) {
    const std::span all(line);
    l.source.ram->read(l.source.base + y * l.source.line_stride + l.x_offset * n0,
                       all.first(width * n0));
    if (f.planar())
      l.plane1.ram->read(l.plane1.base + y * l.plane1.line_stride + l.x_offset * n1,
                         all.subspan(width * n0));
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < l.channels; ++c) {
        const std::size_t b = f.order[c];
        const auto byte =
            b < n0 ? line[x * n0 + b] : line[width * n0 + x * n1 + (b - n0)];
        *to++ = tables[c][byte];
      }
  }
}

// The input and the weights of a convolution, read from memory or reused from the CBUF.
inline void fill_cbuf(const cdma_layer& l, cbuf_contents& cbuf,
                      std::vector<std::uint8_t>& scratch) {
  if (l.data_reuse) {
    require(cbuf.data_held, "CDMA.D_MISC_CFG.DATA_REUSE",
            "the convolution before did not keep its data (SKIP_DATA_RLS)");
    require(cbuf.pixel == l.pixel && cbuf.width == l.width && cbuf.height == l.height &&
                cbuf.channels == l.channels && cbuf.data_banks == l.data_banks,
            "CDMA.D_MISC_CFG.DATA_REUSE", "the data in the CBUF is of another shape");
  } else if (l.pixel) {
    load_pixels(l, scratch, cbuf.data);
  } else {
    load_feature(l, scratch, cbuf.data);
  }
  if (l.weight_reuse) {
    require(cbuf.weights_held, "CDMA.D_MISC_CFG.WEIGHT_REUSE",
            "the convolution before did not keep its weights (SKIP_WEIGHT_RLS)");
    require(cbuf.weights.size() == l.weight_bytes && cbuf.weight_banks == l.weight_banks,
            "CDMA.D_MISC_CFG.WEIGHT_REUSE", "the weights in the CBUF are of another size");
  } else {
    cbuf.weights.resize(l.weight_bytes);
    l.weight_ram->read(l.weight_address, cbuf.weights);
  }
  cbuf.data_held = l.keep_data;
  cbuf.weights_held = l.keep_weights;
  cbuf.pixel = l.pixel;
  cbuf.width = l.width, cbuf.height = l.height, cbuf.channels = l.channels;
  cbuf.data_banks = l.data_banks, cbuf.weight_banks = l.weight_banks;
}

}  // namespace nvdlac::sim
