// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cubes that CDMA reads as other images than they are. Feature cubes as images of 4 channels: each
// surface of a line is a line of the image, and a part of an atom is a pixel. Pixels of 2 or 3
// values, for which there is no format, as pixels of a value each.
#include <cstdint>
#include <optional>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

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
    w.kernel_h *= lines;
    w.stride_h *= lines;
    w.pad_top *= lines;
    w.pad_bottom *= lines;
    w.kernel_w *= pixels;
    w.stride_w *= pixels;
    w.pad_left *= pixels;
    w.pad_right *= pixels;
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

// An interleaved cube as CDMA has a format for it: of four channels, or of one with several pixels
// a column.
struct pixel_view {
  std::int32_t pixels = 1;  // for each column

  static constexpr pixel_view of(const layer::surface& cube) {
    return {cube.is_interleaved() && cube.shape.c != image_view::channels ? cube.shape.c : 1};
  }
  constexpr layer::surface image(layer::surface cube) const {
    cube.shape.c /= pixels;
    cube.shape.w *= pixels;
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

}  // namespace nvdlac::lower
