// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where cubes stand, what names them, and the engines that work on them.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/file_tensor.hpp>
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
// Pixel cubes are lines of interleaved pixels: y * line_stride + x * channels + c.
// Weights and operands are plain bytes: only `at` and `size` count.
struct surface {
  location at{};
  net::shape shape{};
  std::uint32_t line_stride = 0;     // bytes
  std::uint32_t surface_stride = 0;  // bytes
  std::uint64_t size = 0;            // bytes from `at` that the cube touches
  hw::precision precision = hw::precision::int8;  // of a feature cube's elements
  // In batch mode: such cubes of so many pictures, so many bytes apart. `size` is that of all.
  std::int32_t pictures = 1;
  std::uint32_t picture_stride = 0;

  constexpr bool operator==(const surface&) const = default;
  // Whether a cube of a tensor is one of pixels, which has no surfaces.
  constexpr bool is_interleaved() const { return surface_stride == 0; }
};

// A cube of pixels of so many bytes, each channel of them of an int8 or unsigned byte.
constexpr surface interleaved(net::shape s) {
  surface cube{.shape = s};
  const auto line = static_cast<std::uint64_t>(s.w) * static_cast<std::uint64_t>(s.c);
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

// Of cubes of several pictures, so many from one on.
constexpr surface pictures_of(const surface& all, bytes atom, std::int32_t first,
                              std::int32_t count = 1) {
  surface s = all;
  s.at.offset += static_cast<std::uint64_t>(first) * all.picture_stride;
  s.pictures = count;
  if (count == 1) s.picture_stride = 0;
  s.size = extent(s, atom);
  return s;
}

// Byte offset of an element of a cube of features or pixels from its start.
constexpr std::uint64_t offset_of(const surface& s, bytes atom, std::int32_t c, std::int32_t y,
                                  std::int32_t x) {
  if (s.is_interleaved())
    return static_cast<std::uint64_t>(y) * s.line_stride +
           static_cast<std::uint64_t>(x * s.shape.c + c);
  const auto channel = static_cast<std::uint64_t>(c), lanes = lanes_of(atom, s.precision);
  return channel / lanes * s.surface_stride + static_cast<std::uint64_t>(y) * s.line_stride +
         static_cast<std::uint64_t>(x) * atom.n +
         channel % lanes * hw::element_bytes(s.precision);
}

// What is known of the engines that compute layers: one specialisation for each kind of layer,
// beside the layer. Whatever depends on an engine asks it here, by the type of the layer.

// The engines as the firmware numbers them. No layer is one of BDMA, and those of the host are of
// none.
enum class engine_number : std::uint8_t { bdma, convolution, sdp, pdp, cdp, rubik, none };
inline constexpr std::size_t engines = 6;

constexpr std::size_t index(engine_number e) { return static_cast<std::size_t>(e); }

// Units that have registers of their own, by their names in the register table.
template <fixed_string... Names>
struct register_blocks {};

enum class access : std::uint8_t { read, write };

// Every specialisation has
//   name             what reports and messages call it
//   cubes(l, visit)  visit(cube, access) for every cube that the layer l names, in memory or not
// and, unless the host computes the layer,
//   number           the firmware's
//   done             the field of the interrupts that tells the end of the layer in register
//                    group 0; the next bit tells that of group 1
//   cores            its units but the read DMA, in the order in which they are programmed
// and, if there is such a thing,
//   reader           its read DMA, which takes turns of its own with its register groups
//   uses_reader(l)   whether the layer l needs it
//   source           the engine from which it takes its input if that is not in memory
//   ready            the field that has to be 1 before a layer is enabled
template <class Layer>
struct engine;

template <class Layer>
concept on_engine = requires { engine<Layer>::number; };

// Where each element of the user's tensors lies, in words: for the comments of traces and sources.

// "[1, 4, 5, 3]"
inline std::string shape_text(const std::vector<std::int32_t>& shape) {
  std::string s;
  for (const auto d : shape) s += text(s.empty() ? "" : ", ", d);
  return '[' + s + ']';
}

// "'y' of [1, 4, 5, 3]: its elements in row-major order are those number i * 5 + j + k * 20 of
// 3x4x5 in c-h-w order, i < 4, j < 5, k < 3"
inline std::string placement_text(const net::file_tensor& t, const net::shape& cube) {
  std::string s = text('\'', t.name, "' of ", shape_text(t.shape),
                       ": its elements in row-major order are those ");
  if (t.walk.empty()) return s + text("of ", cube, " in c-h-w order");
  std::string number, bounds;
  for (std::size_t axis = 0; axis < t.walk.size(); ++axis) {
    const auto [count, stride] = t.walk[axis];
    const std::string i = axis < 8 ? std::string(1, "ijklmnop"[axis]) : text('i', axis);
    number += text(axis == 0 ? "" : " + ", i, stride == 1 ? "" : text(" * ", stride));
    bounds += text(", ", i, " < ", count);
  }
  return s + text("number ", number, " of ", cube, " in c-h-w order", bounds);
}

// "3x4x5 of int8: element (c, y, x) at byte c / 8 * 160 + y * 40 + x * 8 + c % 8"
inline std::string placement_text(const surface& s, bytes atom) {
  const auto lanes = lanes_of(atom, s.precision);
  const auto size = hw::element_bytes(s.precision);
  return text(s.shape, " of ", hw::name_of(s.precision), ": element (c, y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), "c / ", lanes, " * ",
              s.surface_stride, " + y * ", s.line_stride, " + x * ", atom.n, " + c % ", lanes,
              size == 1 ? "" : text(" * ", size));
}
// Pixels are lines of interleaved channels; so are values that CDMA reads as an image.
inline std::string interleaved_placement_text(const surface& s, bool picture) {
  return text(picture ? "pixels" : "values of int8 in pixels", ": channel c of (y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), "y * ", s.line_stride, " + x * ",
              s.shape.c, " + c");
}

// Where each element of what the user binds lies; then a line for each tensor of his file, which
// element of it that is. Of a program's binding or a loaded one's; `picture`: its bytes are
// unsigned.
inline std::vector<std::string> placement_lines(const auto& binding, bool picture, bytes atom) {
  const auto& s = binding.surface;
  std::vector<std::string> lines{s.is_interleaved() ? interleaved_placement_text(s, picture)
                                                    : placement_text(s, atom)};
  // Pixels have more channels in memory than in the network.
  const auto& cube = s.is_interleaved() ? binding.shape : s.shape;
  for (const auto& t : binding.in_file) lines.push_back(placement_text(t, cube));
  return lines;
}

// Between dense tensors and cubes in memory.

namespace detail {

template <class T>
void expect_tensor(std::size_t is, const surface& s) {
  if (net::precision_of_type<T> != s.precision)
    throw error("the tensor's numbers are of another data type than the cube's");
  if (is != s.shape.size())
    throw error(text("the tensor has ", is, " values, not ", s.shape.size()));
}

inline void expect_bytes(const char* what, std::size_t is, std::uint64_t should) {
  if (is != should) throw error(text(what, " has ", is, " bytes, not ", should));
}

// No byte of the cube is beyond `size` bytes from its start.
inline void expect_room(const surface& s, bytes atom, std::size_t size) {
  const auto c = static_cast<std::uint64_t>(s.shape.c);
  const auto lanes = lanes_of(atom, s.precision);
  const auto last = (c - 1) / lanes * lanes;  // the first channel of the last surface
  const auto needed = offset_of(s, atom, static_cast<std::int32_t>(last), s.shape.h - 1,
                                s.shape.w - 1) +
                      (c < lanes ? c : lanes) * hw::element_bytes(s.precision);
  if (needed > size) throw error(text("a cube of ", needed, " bytes does not fit into ", size));
}

// Calls f(offset in memory, offset in the dense tensor, channels) for each pixel of each surface.
template <class F>
void each_pixel(const surface& s, bytes atom, F&& f) {
  const auto lanes =
      s.is_interleaved() ? s.shape.c : static_cast<std::int32_t>(lanes_of(atom, s.precision));
  for (std::int32_t c = 0; c < s.shape.c; c += lanes) {
    const auto n = static_cast<std::size_t>(s.shape.c - c < lanes ? s.shape.c - c : lanes);
    for (std::int32_t y = 0; y < s.shape.h; ++y)
      for (std::int32_t x = 0; x < s.shape.w; ++x)
        f(static_cast<std::size_t>(offset_of(s, atom, c, y, x)), s.shape.at(c, y, x), n);
  }
}

}  // namespace detail

// A feature cube of values in c-h-w order; `memory` starts where the surface does. Lanes beyond the
// last channel and gaps keep their bytes. Sizes and data types that do not fit are an `error`.
template <class T>
void pack(const std::vector<T>& values, const surface& s, bytes atom,
          std::span<std::uint8_t> memory) {
  detail::expect_tensor<T>(values.size(), s);
  detail::expect_room(s, atom, memory.size());
  const auto plane = static_cast<std::size_t>(s.shape.h) * static_cast<std::size_t>(s.shape.w);
  detail::each_pixel(s, atom, [&](std::size_t to, std::size_t from, std::size_t n) {
    for (std::size_t c = 0; c < n; ++c)
      std::memcpy(&memory[to + c * sizeof(T)], &values[from + c * plane], sizeof(T));
  });
}

template <class T>
void unpack(std::span<const std::uint8_t> memory, const surface& s, bytes atom,
            std::vector<T>& values) {
  detail::expect_tensor<T>(values.size(), s);
  detail::expect_room(s, atom, memory.size());
  const auto plane = static_cast<std::size_t>(s.shape.h) * static_cast<std::size_t>(s.shape.w);
  detail::each_pixel(s, atom, [&](std::size_t from, std::size_t to, std::size_t n) {
    for (std::size_t c = 0; c < n; ++c)
      std::memcpy(&values[to + c * plane], &memory[from + c * sizeof(T)], sizeof(T));
  });
}

namespace detail {

// Fills a cube of pixels with at(c, y, x) of so many channels; those that only the cube has get
// zeros.
template <class At>
void fill_pixels(std::int32_t channels, const surface& s, std::span<std::uint8_t> memory,
                 const At& at) {
  const auto h = static_cast<std::size_t>(s.shape.h), w = static_cast<std::size_t>(s.shape.w);
  const auto in = static_cast<std::size_t>(channels), out = static_cast<std::size_t>(s.shape.c);
  if (in > out) throw error(text(in, " channels for pixels of ", out));
  if (const auto needed = (h - 1) * s.line_stride + w * out; needed > memory.size())
    throw error(text("pixels of ", needed, " bytes do not fit into ", memory.size()));
  for (std::size_t y = 0; y < h; ++y)
    for (std::size_t x = 0; x < w; ++x)
      for (std::size_t c = 0; c < out; ++c)
        memory[y * s.line_stride + x * out + c] =
            c < in ? static_cast<std::uint8_t>(at(c, y, x)) : std::uint8_t{0};
}

}  // namespace detail

// Values [channels][height][width] in a cube of pixels.
inline void pack_interleaved(const std::vector<std::int8_t>& values, std::int32_t channels,
                             const surface& s, std::span<std::uint8_t> memory) {
  const net::shape dense{channels, s.shape.h, s.shape.w};
  detail::expect_tensor<std::int8_t>(values.size(), {.shape = dense, .precision = s.precision});
  const auto h = static_cast<std::size_t>(dense.h), w = static_cast<std::size_t>(dense.w);
  detail::fill_pixels(channels, s, memory, [&](std::size_t c, std::size_t y, std::size_t x) {
    return values[(c * h + y) * w + x];
  });
}

// A picture [height][width][channels].
inline void pack_pixels(std::span<const std::uint8_t> picture, std::int32_t channels,
                        const surface& s, std::span<std::uint8_t> memory) {
  const auto w = static_cast<std::size_t>(s.shape.w), in = static_cast<std::size_t>(channels);
  detail::expect_bytes("the picture", picture.size(), static_cast<std::size_t>(s.shape.h) * w * in);
  detail::fill_pixels(channels, s, memory, [&](std::size_t c, std::size_t y, std::size_t x) {
    return picture[(y * w + x) * in + c];
  });
}

}  // namespace nvdlac::layer
