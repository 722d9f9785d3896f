// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the passes of a convolution see the cube that they read, and a pooling behind them.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/pool.hpp>

namespace nvdlac::lower {

// Cubes that CDMA reads as other images than they are. Feature cubes as images of 4 channels: each
// surface of a line is a line of the image, and a part of an atom is a pixel. Pixels of 2 or 3
// values, for which there is no format, as pixels of a value each.

// A feature cube of int8 as an image.
struct image_view {
  static constexpr std::int32_t channels = 4;  // of a pixel
  std::int32_t lines = 1;                      // for each line of the cube: its surfaces
  std::int32_t pixels = 2;                     // for each column: those of an atom

  // The cube's surfaces stand in its lines; with one surface they always do.
  static constexpr std::optional<image_view> of(const layer::surface& cube, bytes atom) {
    const auto lines = layer::surfaces(cube.shape, atom, cube.precision);
    if (cube.precision != hw::precision::int8 ||
        (lines > 1 && cube.line_stride != lines * cube.surface_stride))
      return std::nullopt;
    return image_view{static_cast<std::int32_t>(lines),
                      static_cast<std::int32_t>(atom.n) / channels};
  }

  // Channels of the whole atoms.
  constexpr std::int32_t all_channels() const { return lines * pixels * channels; }
  constexpr net::window window(net::window w) const {
    w.kernel_h *= lines, w.stride_h *= lines, w.pad_top *= lines, w.pad_bottom *= lines;
    w.kernel_w *= pixels, w.stride_w *= pixels, w.pad_left *= pixels, w.pad_right *= pixels;
    return w;
  }
  constexpr layer::surface part(const layer::surface& cube, bytes atom, net::range rows,
                                net::range columns) const {
    layer::surface s = layer::part(cube, atom, 0, rows.first, columns.first, {1, 1, 1});
    s.shape = {channels, rows.count * lines, columns.count * pixels};
    if (lines > 1) s.line_stride = cube.surface_stride;
    s.surface_stride = 0;
    s.size = static_cast<std::uint64_t>(s.shape.h - 1) * s.line_stride +
             static_cast<std::uint64_t>(s.shape.w * channels);
    return s;
  }
  constexpr entries slice(const hw::spec& hw, net::range columns) const {
    const auto width = columns.count + columns.pad_before + columns.pad_after;
    return hw::image_entries_per_slice(hw, hw::precision::int8,
                                       static_cast<std::uint64_t>(width * pixels), channels);
  }
};

// An interleaved cube as CDMA has a format for it: A8B8G8R8, or R8 with several pixels a column.
struct pixel_view {
  std::int32_t pixels = 1;  // for each column

  static constexpr pixel_view of(const layer::surface& cube) {
    return {cube.is_interleaved() && cube.shape.c != image_view::channels ? cube.shape.c : 1};
  }
  constexpr layer::surface image(layer::surface cube) const {
    cube.shape.c /= pixels, cube.shape.w *= pixels;
    return cube;
  }
  constexpr net::window window(const net::window& w) const {
    return image_view{.lines = 1, .pixels = pixels}.window(w);
  }
};

// The weights of a kernel over the image: run(k, c, n, r, s, to) gives those of the cube.
template <class Run>
constexpr auto on_image(const Run& run, image_view view) {
  return [&run, view](std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t r,
                      std::int32_t s, std::uint8_t* to) {
    const auto surface = r % view.lines, half = s % view.pixels;
    run(k, (surface * view.pixels + half) * image_view::channels + c, n, r / view.lines,
        s / view.pixels, to);
  };
}

// The windows of a pooling as PDP takes them.

// Outputs [first, first + count) of one dimension, pooled with one kernel and one padding.
struct pool_run {
  std::int32_t first = 0, count = 1, kernel = 1;
  bool whole = true;  // no window is clipped
  net::range input{};
};

// Cuts one dimension. A maximum ignores padding, so its windows are never clipped; an average
// divides by its whole kernel, so windows that are clipped become runs of their own.
constexpr std::vector<pool_run> pool_runs(const quantised::pool& op, std::int32_t size,
                                          std::int32_t outputs, std::int32_t kernel,
                                          std::int32_t stride, std::int32_t pad_before,
                                          std::int32_t pad_after, std::int32_t longest) {
  const bool average = op.kind == net::pool_kind::average;
  const std::int32_t low = op.count_include_pad ? -pad_before : 0;
  const std::int32_t high = op.count_include_pad ? size + pad_after : size;
  std::vector<pool_run> runs;
  for (std::int32_t o = 0; o < outputs; ++o) {
    const std::int32_t begin = o * stride - pad_before, end = begin + kernel;
    if (!average || (begin >= low && end <= high)) {
      if (!runs.empty() && runs.back().whole && runs.back().count < longest)
        ++runs.back().count;
      else
        runs.push_back({.first = o, .kernel = kernel});
      auto& run = runs.back();
      run.input = net::input_range(size, kernel, stride, pad_before, run.first, run.count);
    } else {
      const std::int32_t from = std::max(begin, low), to = std::min(end, high);
      runs.push_back({.first = o,
                      .kernel = to - from,
                      .whole = false,
                      .input = net::input_range(size, to - from, 1, -from, 0, 1)});
    }
  }
  return runs;
}

// The most columns of the result that one pass of PDP has.
constexpr std::int32_t widest_pass(const net::window& w) {
  return static_cast<std::int32_t>(
      hw::pdp_widest_output(static_cast<std::uint32_t>(w.kernel_h),
                            static_cast<std::uint32_t>(w.stride_h)));
}

// A pooling that takes what SDP makes of a convolution, without memory between them. Its windows
// are those of one kernel and one padding, and see all of `height` lines and `width` columns of the
// convolution's outputs, which are the first.
struct pooled {
  label name{};
  net::pool_kind kind = net::pool_kind::maximum;
  net::window window{};
  std::int16_t pad_value = 0;
  std::int32_t height = 1, width = 1;

  // nullopt: its windows have several kernels.
  static constexpr std::optional<pooled> of(const quantised::pool& op, net::shape in,
                                            net::shape out) {
    constexpr auto any = std::numeric_limits<std::int32_t>::max();
    net::window w = op.window;
    const auto rows = pool_runs(op, in.h, out.h, w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom,
                                any);
    const auto columns = pool_runs(op, in.w, out.w, w.kernel_w, w.stride_w, w.pad_left,
                                   w.pad_right, any);
    if (rows.size() != 1 || columns.size() != 1) return std::nullopt;
    const auto &y = rows[0], &x = columns[0];
    w.kernel_h = y.kernel, w.kernel_w = x.kernel;
    w.pad_top = y.input.pad_before, w.pad_bottom = y.input.pad_after;
    w.pad_left = x.input.pad_before, w.pad_right = x.input.pad_after;
    return pooled{.kind = op.kind, .window = w, .pad_value = op.pad, .height = y.input.count,
                  .width = x.input.count};
  }
};

// The outputs of a convolution whose results, perhaps by a pooling, are `out`.
constexpr net::shape convolved_of(net::shape out, const std::optional<pooled>& pool) {
  return pool ? net::shape{out.c, pool->height, pool->width} : out;
}

}  // namespace nvdlac::lower
