// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between dense tensors and cubes in memory.
#include <algorithm>
#include <array>
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

// Writes 0 to the lanes beyond the last channel of a feature cube. A layer that takes the cube for
// one of another shape multiplies them by weights of 0, which makes NaN of what is no number.
void clear_free_lanes(const surface& s, bytes atom, std::span<std::uint8_t> memory);

// Bytes from an element of the cube to the next one of its line.
constexpr std::size_t step_of(const surface& s, bytes atom) {
  return static_cast<std::size_t>(offset_of(s, atom, 0, 0, 1) - offset_of(s, atom, 0, 0, 0));
}

// Exchanges rows and columns of 8 x 8 bytes, whose rows begin so many bytes apart, in the 64 bits
// of any processor.
inline void exchange_bytes(const std::uint8_t* from, std::size_t from_row, std::uint8_t* to,
                           std::size_t to_row) {
  std::array<std::uint64_t, 8> rows;
  for (std::size_t i = 0; i < 8; ++i) std::memcpy(&rows[i], from + i * from_row, 8);
  const auto exchange = [&](std::size_t apart, int bits, std::uint64_t mask) {
    for (std::size_t i = 0; i < 8; ++i) {
      if ((i & apart) != 0) continue;
      const auto other = ((rows[i] >> bits) ^ rows[i + apart]) & mask;
      rows[i] ^= other << bits;
      rows[i + apart] ^= other;
    }
  };
  exchange(1, 8, 0x00ff00ff00ff00ff);
  exchange(2, 16, 0x0000ffff0000ffff);
  exchange(4, 32, 0x00000000ffffffff);
  for (std::size_t i = 0; i < 8; ++i) std::memcpy(to + i * to_row, &rows[i], 8);
}

// Calls line(offset in memory, offset in the dense tensor, columns) for each line of each channel
// of a cube whose elements have so many bytes; of bytes of feature cubes, block(offset in memory,
// offset in the dense tensor) for each eight columns of eight channels, and line for the rest.
template <class Line, class Block>
void each_line(const surface& s, bytes atom, std::size_t element, Line&& line, Block&& block) {
  constexpr std::int32_t side = 8;
  const bool has_blocks = element == 1 && !s.is_interleaved() && atom.n % side == 0;
  const auto lanes =
      s.is_interleaved() ? s.shape.c : static_cast<std::int32_t>(lanes_of(atom, s.precision));
  const auto at = [&](std::int32_t c, std::int32_t y, std::int32_t x) {
    return static_cast<std::size_t>(offset_of(s, atom, c, y, x));
  };
  for (std::int32_t first = 0; first < s.shape.c; first += lanes) {
    const auto end = std::min(first + lanes, s.shape.c);
    for (std::int32_t y = 0; y < s.shape.h; ++y)
      for (std::int32_t c = first; c < end;) {
        std::int32_t x = 0;
        const auto channels = has_blocks && end - c >= side ? side : 1;
        if (channels == side)
          for (; x + side <= s.shape.w; x += side) block(at(c, y, x), s.shape.at(c, y, x));
        for (const auto behind = c + channels; c < behind; ++c)
          if (x < s.shape.w)
            line(at(c, y, x), s.shape.at(c, y, x), static_cast<std::size_t>(s.shape.w - x));
      }
  }
}

}  // namespace detail

// A feature cube of values in c-h-w order; `memory` starts where the surface does. Lanes beyond the
// last channel get 0, as NVDLA writes them; gaps keep their bytes. Sizes and data types that do not
// fit are an `error`.
template <class T>
void pack(const std::vector<T>& values, const surface& s, bytes atom,
          std::span<std::uint8_t> memory) {
  detail::expect_tensor<T>(values.size(), s);
  detail::expect_room(s, atom, memory.size());
  const auto plane = static_cast<std::size_t>(s.shape.h) * static_cast<std::size_t>(s.shape.w);
  const auto step = detail::step_of(s, atom);
  const auto* const from = reinterpret_cast<const std::uint8_t*>(values.data());
  detail::each_line(s, atom, sizeof(T), [&](std::size_t to, std::size_t of, std::size_t n) {
    for (std::size_t x = 0; x < n; ++x)
      std::memcpy(&memory[to + x * step], &values[of + x], sizeof(T));
  }, [&](std::size_t to, std::size_t of) {
    detail::exchange_bytes(from + of, plane, &memory[to], step);
  });
  detail::clear_free_lanes(s, atom, memory);
}

template <class T>
void unpack(std::span<const std::uint8_t> memory, const surface& s, bytes atom,
            std::vector<T>& values) {
  detail::expect_tensor<T>(values.size(), s);
  detail::expect_room(s, atom, memory.size());
  const auto plane = static_cast<std::size_t>(s.shape.h) * static_cast<std::size_t>(s.shape.w);
  const auto step = detail::step_of(s, atom);
  auto* const to = reinterpret_cast<std::uint8_t*>(values.data());
  detail::each_line(s, atom, sizeof(T), [&](std::size_t from, std::size_t of, std::size_t n) {
    for (std::size_t x = 0; x < n; ++x)
      std::memcpy(&values[of + x], &memory[from + x * step], sizeof(T));
  }, [&](std::size_t from, std::size_t of) {
    detail::exchange_bytes(&memory[from], step, to + of, plane);
  });
}

namespace detail {

// Fills a cube of pixels with at(c, y, x), elements T, of so many channels; those that only the
// cube has get zeros.
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
  const auto step = step_of(s, {});
  const auto given = static_cast<std::size_t>(channels), all = static_cast<std::size_t>(out);
  for (std::int32_t y = 0; y < h; ++y) {
    auto* pixel = memory.data() + offset(0, y, 0);
    for (std::size_t x = 0; x < static_cast<std::size_t>(w); ++x, pixel += step) {
      for (std::size_t c = 0; c < given; ++c) {
        const T value = at(c, static_cast<std::size_t>(y), x);
        std::memcpy(pixel + c * sizeof(T), &value, sizeof(T));
      }
      std::memset(pixel + given * sizeof(T), 0, (all - given) * sizeof(T));
    }
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
