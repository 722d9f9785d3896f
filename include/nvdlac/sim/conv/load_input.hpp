// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// The reads of CDMA's operations for one convolution, for its account.
struct fetched_input {
  cube_size in{};  // of the last operation
  traffic data{}, weights{};
  std::uint64_t nan_data = 0;

  template <hw::hardware Hw>
  void add(const group_view<Hw::spec.map>& g, const cdma_layer& l,
           const convolution_counts& n) {
    constexpr std::uint32_t atom = Hw::spec.memory_atom;
    in = {l.width, l.height, l.channels, l.batches, l.in};
    nan_data += n.nan_data;
    if (l.brings_data) {
      const auto lanes = atom / hw::element_bytes(l.in);
      const auto line =
          l.pixel ? align_up(l.source.width * l.format.plane0_bytes, atom) +
                        align_up(l.source.width * l.format.plane1_bytes, atom)
                  : std::uint64_t{l.width} * atom * ceil_div(l.channels, lanes) * l.batches;
      // RAM_TYPE 1 is DRAM.
      data.read[g.template on<"CDMA.D_DAIN_RAM_TYPE">() ? 0 : 1] += line * l.height;
    }
    if (!l.brings_weights) return;
    auto& bytes = weights.read[g.template on<"CDMA.D_WEIGHT_RAM_TYPE">() ? 0 : 1];
    bytes += l.weight_bytes;
    if (l.compressed)
      bytes += l.mask_bytes + ceil_div(l.kernels, Hw::spec.kernel_group(l.precision)) * 4;
  }
};

// CDMA's ways from memory to the CBUF's input.

// Counts the NaNs and infinities among fp16 elements and clears the NaNs if the layer says so.
void count_floats(std::span<std::uint8_t> bytes, bool nan_to_zero, std::uint32_t& nans,
                  std::uint32_t& infinities);

// The input converter on what was read.
template <class T>
void convert_feature(const cdma_layer& l, std::span<T> loaded) {
  if (!l.convert || l.in == hw::precision::fp16) return;
  if constexpr (sizeof(T) == 1) {
    const auto table = conversion_table(l, 0);
    for (auto& v : loaded) v = table[static_cast<std::uint8_t>(v)];
  } else {
    for (auto& v : loaded)
      v = static_cast<T>(cdma_convert(l, 0, static_cast<std::uint16_t>(v)));
  }
}

// Surfaces of atoms to [y][x][channel], `lanes` channels of them; T: an element in memory.
template <class T>
void load_feature(const cdma_layer& l, std::size_t lanes, std::vector<std::uint8_t>& bytes,
                  std::vector<T>& data, convolution_counts& counts) {
  const std::size_t unit = in_memory(l.source.unit), atom = unit / sizeof(T);
  const std::size_t pixels = std::size_t{l.width} * l.height;
  data.resize(pixels * lanes);
  if (lanes == atom && l.in != hw::precision::fp16) {  // one surface: the lines as they are
    const std::span to(reinterpret_cast<std::uint8_t*>(data.data()), pixels * unit);
    read_surface(l.source, 0, to);
    counts.data_bytes += to.size();
    return convert_feature(l, std::span(data));
  }
  const auto surfaces = in_memory(ceil_div(lanes, atom));
  const auto size = pixels * unit;
  std::vector<const std::uint8_t*> from(surfaces);
  for (std::size_t s = 0; s < surfaces; ++s) {
    counts.data_bytes += size;
    if (l.in != hw::precision::fp16) from[s] = view_surface(l.source, s);
    if (from[s] != nullptr) continue;
    if (bytes.size() < surfaces * size) bytes.resize(surfaces * size);
    const auto to = std::span(bytes).subspan(s * size, size);
    read_surface(l.source, s, to);
    if (l.in == hw::precision::fp16)
      count_floats(to, l.nan_to_zero, counts.nan_data, counts.inf_data);
    from[s] = to.data();
  }
  // As many pixels at a time as the first cache holds.
  const auto part = std::max<std::size_t>(1, 8192 / (lanes * sizeof(T)));
  for (std::size_t p = 0; p < pixels; p += part)
    for (std::size_t s = 0; s < surfaces; ++s) {
      const auto n = std::min(atom, lanes - s * atom) * sizeof(T);
      const auto copy = [&](auto count) {
        const auto* in = from[s] + p * l.source.unit;
        auto* to = data.data() + p * lanes + s * atom;
        for (auto i = std::min(part, pixels - p); i-- > 0; in += l.source.unit, to += lanes)
          std::memcpy(to, in, count);
      };
      if (n == 8) copy(std::integral_constant<std::size_t, 8>{});  // known: no call for each pixel
      else if (n == 16) copy(std::integral_constant<std::size_t, 16>{});
      else if (n == 32) copy(std::integral_constant<std::size_t, 32>{});
      else copy(n);
    }
  convert_feature(l, std::span(data));
}

// Lines of pixels to [y][x][channel]; T: an element in the CBUF.
template <class T>
void load_pixels(const cdma_layer& l, std::vector<std::uint8_t>& line, std::vector<T>& data,
                 convolution_counts& counts) {
  const auto& f = l.format;
  const std::size_t n0 = f.plane0_bytes, n1 = f.plane1_bytes, width = l.width;
  const std::size_t lines = l.height;
  const bool bytes = l.in == hw::precision::int8 && sizeof(T) == 1;
  std::array<std::array<std::int8_t, 256>, 4> tables{};
  for (std::size_t c = 0; c < l.channels; ++c)
    if (bytes) tables[c] = conversion_table(l, c);
  line.resize(width * (n0 + n1));
  data.resize(width * lines * l.channels);
  auto* to = data.data();
  for (std::size_t y = 0; y < lines; ++y) {
    const std::span all(line);
    l.source.ram->read(l.source.base + y * l.source.line_stride + l.offset0,
                       all.first(width * n0));
    if (f.planar())
      l.plane1.ram->read(l.plane1.base + y * l.plane1.line_stride + l.offset1,
                         all.subspan(width * n0));
    counts.data_bytes += line.size();
    if (l.in == hw::precision::fp16)
      count_floats(line, l.nan_to_zero, counts.nan_data, counts.inf_data);
    const auto *p0 = line.data(), *p1 = line.data() + width * n0;
    for (std::size_t x = 0; x < width; ++x, p0 += n0, p1 += n1) {
      std::uint64_t pixel = 0;
      for (std::size_t i = 0; i < n0; ++i) pixel |= std::uint64_t{p0[i]} << 8 * i;
      for (std::size_t i = 0; i < n1; ++i) pixel |= std::uint64_t{p1[i]} << 8 * (n0 + i);
      for (std::size_t c = 0; c < l.channels; ++c) {
        const auto bits = f.extract(pixel, c);
        *to++ = bytes ? static_cast<T>(tables[c][bits])
                      : static_cast<T>(cdma_convert(l, c, bits));
      }
    }
  }
}

// Winograd's input, extended: phase (y, x) of the stride becomes channels (y * stride_x + x) *
// `lanes` onwards, with the padding.
template <class T>
void extend_input(const cdma_layer& l, std::size_t lanes, const std::vector<T>& plain,
                  std::vector<T>& data) {
  const std::size_t sx = l.stride_x, sy = l.stride_y;
  data.assign(std::size_t{l.padded_width()} * l.padded_height() * lanes,
              static_cast<T>(l.pad_value));
  const auto width = l.padded_width() / sx;
  for (std::size_t y = 0; y < l.height; ++y)
    for (std::size_t x = 0; x < l.width; ++x) {
      const auto py = y + l.pad_top, px = x + l.pad_left;
      const auto phase = py % sy * sx + px % sx;
      std::copy_n(plain.data() + (y * l.width + x) * lanes, lanes,
                  data.data() + ((py / sy * width + px / sx) * sy * sx + phase) * lanes);
    }
}

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/load_input.ipp>
#endif
