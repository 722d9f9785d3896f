// SPDX-License-Identifier: Apache-2.0
#pragma once
// A dense int8 convolution on CONV and SDP, cut into passes that fit the CBUF.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/reason.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/weights.hpp>
#include <nvdlac/net/integer/operators.hpp>

namespace nvdlac::lower {

// What SDP's X1 does to the sums: one entry for each kernel.
struct requantisation {
  std::span<const std::int16_t> bias, multiplier;
  std::uint8_t bias_shift = 0, shift = 0, truncate = 0;
  bool relu = false;
};

namespace detail {

inline std::vector<std::uint8_t> interleaved(const hw::spec& hw, const requantisation& q,
                                             std::int32_t first, std::int32_t count) {
  std::vector<std::uint8_t> bytes_of_pairs;
  const auto lanes = align_up(static_cast<std::uint64_t>(count), hw.memory_atom);
  bytes_of_pairs.reserve(lanes * 4);
  const auto put = [&](std::int16_t v) {
    bytes_of_pairs.push_back(static_cast<std::uint8_t>(v & 0xff));
    bytes_of_pairs.push_back(static_cast<std::uint8_t>((v >> 8) & 0xff));
  };
  for (std::uint64_t i = 0; i < lanes; ++i) {
    const auto k = static_cast<std::size_t>(first) + i;
    const bool real = i < static_cast<std::uint64_t>(count);
    put(real ? q.bias[k] : std::int16_t{0});
    put(real ? q.multiplier[k] : std::int16_t{0});
  }
  return bytes_of_pairs;
}

// Lines [first, first + count) of an input cube.
inline layer::surface lines(const layer::surface& in, bool pixel, bytes atom, range rows,
                            std::int32_t width) {
  if (!pixel) return layer::part(in, atom, 0, rows.first, 0, {in.shape.c, rows.count, width});
  layer::surface s = in;
  s.shape = {in.shape.c, rows.count, width};
  s.at.offset += static_cast<std::uint64_t>(rows.first) * in.line_stride;
  s.size = static_cast<std::uint64_t>(rows.count) * in.line_stride;
  return s;
}

}  // namespace detail

// Emits the passes of `name`: weight(k, c, r, s) over all kernels of `out` and channels of `in`.
// A pass of fewer kernels than an atom leaves the other lanes of its atom zero, so `out` must have
// `kernels_apart` channels from one pass to the next; see convolution.hpp.
template <class Hw, class Weight>
void convolve(assembly& to, const std::string& name, const layer::surface& in,
              const std::optional<net::integer::pixels>& pixels, const layer::surface& out,
              net::window window, const convolution_split& split, const requantisation& q,
              Weight weight) {
  const auto& hw = Hw::spec;
  const bool pixel = pixels.has_value();
  const net::shape full = out.shape;
  const auto whole_atoms = static_cast<std::int32_t>(hw.memory_atom);
  const range columns =
      input_range(in.shape.w, window.extent_w(), window.stride_w, window.pad_left, 0, full.w);
  window.pad_left = columns.pad_before;
  window.pad_right = columns.pad_after;

  for (std::int32_t k0 = 0; k0 < full.c; k0 += split.kernels) {
    const std::int32_t kernels = std::min(split.kernels, full.c - k0);
    const std::string pass = split.kernels < full.c ? name + "/k" + std::to_string(k0) : name;
    const kernel_shape shape{kernels, in.shape.c, window.kernel_h, window.kernel_w};
    // A kernel of pixels is one column of kernel_w * C channels.
    auto packed = pixel
        ? pack_weights(hw, {kernels, in.shape.c * window.kernel_w, window.kernel_h, 1},
                       [&](std::int32_t k, std::int32_t c, std::int32_t r, std::int32_t) {
                         return weight(k0 + k, c % in.shape.c, r, c / in.shape.c);
                       })
        : pack_weights(hw, shape, [&](std::int32_t k, std::int32_t c, std::int32_t r,
                                      std::int32_t s) { return weight(k0 + k, c, r, s); });
    const auto weights_size = packed.size();
    const layer::surface weights{.at = to.keep(pass + "/weights", std::move(packed)),
                                 .shape = {kernels, 1, 1},
                                 .size = weights_size};
    auto pairs = detail::interleaved(hw, q, k0, kernels);
    const auto pairs_size = pairs.size();
    const layer::surface operands{.at = to.keep(pass + "/requantisation", std::move(pairs)),
                                  .shape = {kernels, 1, 1},
                                  .size = pairs_size};

    for (std::int32_t y0 = 0; y0 < full.h; y0 += split.rows) {
      const std::int32_t rows = std::min(split.rows, full.h - y0);
      const range input_rows =
          input_range(in.shape.h, window.extent_h(), window.stride_h, window.pad_top, y0, rows);
      layer::convolution conv{
          .input = detail::lines(in, pixel, hw.atom(), input_rows, columns.count),
          .format = !pixel            ? layer::pixel_format::feature
                    : in.shape.c == 1 ? layer::pixel_format::r8
                                      : layer::pixel_format::a8b8g8r8,
          .weights = weights,
          .output = {kernels, rows, full.w},
          .window = window,
          .entries_per_slice = static_cast<std::uint16_t>(split.slice.n),
          .data_banks = static_cast<std::uint8_t>(split.data.n),
          .weight_banks = static_cast<std::uint8_t>(split.weights.n),
          .release = static_cast<std::uint16_t>(input_rows.count),
          .truncate = q.truncate};
      conv.window.pad_top = input_rows.pad_before;
      conv.window.pad_bottom = input_rows.pad_after;
      if (pixel) {
        conv.mean = pixels->mean;
        conv.use_mean = true;
        conv.convert = true;
        conv.cvt = pixels->cvt;
      }
      // Passes of less than an atom of kernels stand an atom apart.
      const std::int32_t channel = split.kernels < full.c && split.kernels % whole_atoms != 0
                                       ? k0 / split.kernels * whole_atoms
                                       : k0;
      layer::sdp sdp{.input = {.shape = conv.output},
                     .x1 = {.alu = true,
                            .mul = true,
                            .relu = q.relu,
                            .mode = layer::sdp_mode::per_kernel,
                            .alu_shift = q.bias_shift,
                            .mul_shift = q.shift,
                            .operands = operands},
                     .output = layer::part(out, hw.atom(), channel, y0, 0, conv.output)};
      const std::string row = split.rows < full.h ? pass + "/y" + std::to_string(y0) : pass;
      to.add(row, conv);
      to.add(row + "/sdp", sdp);
    }
  }
}

}  // namespace nvdlac::lower
