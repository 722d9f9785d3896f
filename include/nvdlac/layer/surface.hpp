// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where cubes stand in memory.
#include <cstdint>
#include <utility>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::layer {

// Where a cube is: a piece of one of the program's buffers.
struct location {
  std::int32_t buffer = -1;  // index into program::buffers; -1: on the fly, between two engines
  std::uint64_t offset = 0;  // bytes from the buffer's start
  bool cvsram = false;       // the buffer stands in the secondary memory

  constexpr bool on_the_fly() const { return buffer < 0; }
  constexpr bool operator==(const location&) const = default;
};

// Channels that lie beside each other in an atom.
constexpr std::uint64_t lanes_of(bytes atom, hw::precision p) {
  return atom.n / hw::element_bytes(p);
}

// A cube in memory. Feature cubes consist of surfaces of one atom of channels: element (c, y, x) is
// at (c / E) * surface_stride + y * line_stride + x * atom + c % E * bytes per element, E =
// lanes_of(atom, precision).
// Pixel cubes are lines of interleaved pixels: y * line_stride + (x * channels + c) * bytes per
// element.
// Weights and operands are plain bytes: only `at` and `size` count.
struct surface {
  location at{};
  net::shape shape{};
  std::uint32_t line_stride = 0;     // bytes
  std::uint32_t surface_stride = 0;  // bytes
  std::uint64_t size = 0;            // bytes from `at` that the cube touches
  hw::precision precision = hw::precision::int8;  // of the elements; int8: or unsigned bytes
  // In batch mode: such cubes of so many pictures, so many bytes apart. `size` is that of all.
  std::int32_t pictures = 1;
  std::uint32_t picture_stride = 0;
  // Whether the maps of a cube, as the network sees it, stand transposed in memory: `line_stride`
  // is from column to column of `shape`. No engine sees a cube so.
  bool transposed = false;

  constexpr bool operator==(const surface&) const = default;
  // Whether a cube of a tensor is one of pixels, which has no surfaces.
  constexpr bool is_interleaved() const { return surface_stride == 0; }
};

// Bytes of a line of a cube of pixels.
constexpr std::uint64_t bytes_of_pixels(net::shape s, hw::precision p) {
  return static_cast<std::uint64_t>(s.w) * static_cast<std::uint64_t>(s.c) * hw::element_bytes(p);
}

// A cube of pixels, each of so many channels.
constexpr surface interleaved(net::shape s, hw::precision p = hw::precision::int8) {
  surface cube{.shape = s, .precision = p};
  const auto line = bytes_of_pixels(s, p);
  cube.line_stride = static_cast<std::uint32_t>(align_up(line, 32));
  cube.size = cube.line_stride * static_cast<std::uint64_t>(s.h);
  return cube;
}

// Surfaces that a cube needs.
constexpr std::uint64_t surfaces(net::shape s, bytes atom,
                                 hw::precision p = hw::precision::int8) {
  return ceil_div(static_cast<std::uint64_t>(s.c), lanes_of(atom, p));
}

// Bytes from its start to its end that a feature cube touches.
constexpr std::uint64_t extent(const surface& s, bytes atom) {
  return static_cast<std::uint64_t>(s.pictures - 1) * s.picture_stride +
         (surfaces(s.shape, atom, s.precision) - 1) * s.surface_stride +
         static_cast<std::uint64_t>(s.shape.h - 1) * s.line_stride +
         static_cast<std::uint64_t>(s.shape.w) * atom.n;
}

// A feature cube with nothing between its lines and surfaces.
constexpr surface packed(net::shape s, bytes atom, location at = {},
                         hw::precision p = hw::precision::int8) {
  const auto line = static_cast<std::uint32_t>(static_cast<std::uint64_t>(s.w) * atom.n);
  const auto plane = static_cast<std::uint32_t>(line * static_cast<std::uint64_t>(s.h));
  return {at, s, line, plane, plane * surfaces(s, atom, p), p};
}

// The part of a feature cube that starts at (c, y, x), c being a multiple of the atom's channels.
constexpr surface part(const surface& whole, bytes atom, std::int32_t c, std::int32_t y,
                       std::int32_t x, net::shape shape) {
  surface s = whole;
  s.shape = shape;
  const auto above = static_cast<std::uint64_t>(c) / lanes_of(atom, s.precision);
  s.at.offset += above * whole.surface_stride +
                 static_cast<std::uint64_t>(y) * whole.line_stride +
                 static_cast<std::uint64_t>(x) * atom.n;
  s.size = extent(s, atom);
  return s;
}

// Every `step`-th line of a part that starts at (c, y, x), as neighbours: as many as the shape has.
constexpr surface every_line(const surface& whole, bytes atom, std::int32_t step, std::int32_t c,
                             std::int32_t y, std::int32_t x, net::shape shape) {
  surface s = part(whole, atom, c, y, x, shape);
  s.line_stride *= static_cast<std::uint32_t>(step);
  s.size = extent(s, atom);
  return s;
}

// `count` of the cubes of several pictures, from `first` on.
constexpr surface pictures_of(const surface& all, bytes atom, std::int32_t first,
                              std::int32_t count = 1) {
  surface s = all;
  s.at.offset += static_cast<std::uint64_t>(first) * all.picture_stride;
  s.pictures = count;
  if (count == 1) s.picture_stride = 0;
  s.size = extent(s, atom);
  return s;
}

// The cube with height and width exchanged: of what an engine sees, the cube that the network sees
// where its maps stand transposed in memory, and the reverse.
constexpr surface transposed(surface s) {
  s.shape = net::transposed(s.shape);
  s.transposed = !s.transposed;
  return s;
}

// Calls f(offset, size) with each piece of memory that the lines of a cube of features or pixels
// fill without a gap, in bytes from the cube's start.
template <class F>
constexpr void for_each_piece(const surface& s, bytes atom, F f) {
  const bool pixels = s.is_interleaved();
  const auto line = pixels ? bytes_of_pixels(s.shape, s.precision)
                           : static_cast<std::uint64_t>(s.shape.w) * atom.n;
  const auto planes = pixels ? 1 : surfaces(s.shape, atom, s.precision);
  std::uint64_t begin = 0, end = 0;
  for (std::uint64_t n = 0; n < static_cast<std::uint64_t>(s.pictures); ++n)
    for (std::uint64_t plane = 0; plane < planes; ++plane)
      for (std::uint64_t y = 0; y < static_cast<std::uint64_t>(s.shape.h); ++y) {
        const auto at = n * s.picture_stride + plane * s.surface_stride + y * s.line_stride;
        if (at != end) {
          f(begin, end - begin);
          begin = at;
        }
        end = at + line;
      }
  f(begin, end - begin);
}

// Byte offset of an element of a cube of features or pixels from its start.
constexpr std::uint64_t offset_of(const surface& s, bytes atom, std::int32_t c, std::int32_t y,
                                  std::int32_t x) {
  if (s.transposed) std::swap(y, x);
  if (s.is_interleaved())
    return static_cast<std::uint64_t>(y) * s.line_stride +
           static_cast<std::uint64_t>(x * s.shape.c + c) * hw::element_bytes(s.precision);
  const auto channel = static_cast<std::uint64_t>(c), lanes = lanes_of(atom, s.precision);
  return channel / lanes * s.surface_stride + static_cast<std::uint64_t>(y) * s.line_stride +
         static_cast<std::uint64_t>(x) * atom.n +
         channel % lanes * hw::element_bytes(s.precision);
}

}  // namespace nvdlac::layer
