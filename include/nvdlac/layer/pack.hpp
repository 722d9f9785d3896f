// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between dense tensors and cubes in memory.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::layer {

namespace detail {

template <class T>
void expect_tensor(std::size_t is, const surface& s) {
  if (net::precision_of_type<T> != s.precision)
    throw error("the tensor's numbers are of another data type than the cube's");
  if (is != s.shape.size())
    throw error(text("the tensor has ", is, " values, not ", s.shape.size()));
}

void expect_bytes(const char* what, std::size_t is, std::uint64_t should);

// No byte of the cube is beyond `size` bytes from its start.
void expect_room(const surface& s, bytes atom, std::size_t size);

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

// Fills a cube of pixels with at(c, y, x), elements T, of so many channels; those that only the cube
// has get zeros.
template <class T, class At>
void fill_pixels(std::int32_t channels, const surface& s, std::span<std::uint8_t> memory,
                 const At& at) {
  const auto [out, h, w] = s.shape;
  if (channels > out) throw error(text(channels, " channels for pixels of ", out));
  const auto offset = [&](std::int32_t c, std::int32_t y, std::int32_t x) {
    return static_cast<std::size_t>(offset_of(s, {}, c, y, x));
  };
  if (const auto needed = offset(out - 1, h - 1, w - 1) + sizeof(T); needed > memory.size())
    throw error(text("pixels of ", needed, " bytes do not fit into ", memory.size()));
  for (std::int32_t y = 0; y < h; ++y)
    for (std::int32_t x = 0; x < w; ++x)
      for (std::int32_t c = 0; c < out; ++c) {
        const T value = c < channels ? at(static_cast<std::size_t>(c), static_cast<std::size_t>(y),
                                          static_cast<std::size_t>(x))
                                     : T{};
        std::memcpy(&memory[offset(c, y, x)], &value, sizeof(T));
      }
}

}  // namespace detail

// Values [channels][height][width] in a cube of pixels.
template <class T>
void pack_interleaved(const std::vector<T>& values, std::int32_t channels, const surface& s,
                      std::span<std::uint8_t> memory) {
  const net::shape dense{channels, s.shape.h, s.shape.w};
  detail::expect_tensor<T>(values.size(), {.shape = dense, .precision = s.precision});
  const auto h = static_cast<std::size_t>(dense.h), w = static_cast<std::size_t>(dense.w);
  detail::fill_pixels<T>(channels, s, memory, [&](std::size_t c, std::size_t y, std::size_t x) {
    return values[(c * h + y) * w + x];
  });
}

// A picture [height][width][channels].
void pack_pixels(std::span<const std::uint8_t> picture, std::int32_t channels, const surface& s,
                 std::span<std::uint8_t> memory);

}  // namespace nvdlac::layer

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/layer/pack.ipp>
#endif
