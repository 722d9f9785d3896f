// SPDX-License-Identifier: Apache-2.0
#pragma once
// PDP: pooling of int8 cubes, one surface at a time.
#include <array>

#include <nvdlac/fixed.hpp>
#include <nvdlac/sim/cube.hpp>

namespace nvdlac::sim {

enum class pooling : std::uint8_t { average, max, min };  // codes of POOLING_METHOD

struct pdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1, out_width = 1, out_height = 1;
  pooling method = pooling::max;
  bool flying = false;  // the input comes from SDP
  std::uint32_t kernel_width = 1, kernel_height = 1, stride_x = 1, stride_y = 1;
  std::uint32_t pad_left = 0, pad_top = 0, pad_right = 0, pad_bottom = 0;
  std::array<std::int32_t, 8> pad_value{};  // of n missing elements
  std::uint32_t reciprocal_width = 0, reciprocal_height = 0;
  cube source{}, destination{};
};

// The average of a window: its sum times both reciprocals, rounded after each.
constexpr std::int64_t pdp_average(std::int64_t sum, std::uint32_t reciprocal_width,
                                   std::uint32_t reciprocal_height) {
  return round_shift(round_shift(sum * reciprocal_width, 16) * reciprocal_height, 16);
}

// PAD_VALUE of `missing` elements: the registers hold 19 bits, of which int8 uses fewer.
constexpr std::int32_t pdp_pad_value(std::size_t missing, std::uint32_t raw) {
  constexpr std::array<int, 8> sign_bit{0, 7, 8, 9, 9, 10, 10, 10};
  const int shift = 31 - sign_bit[missing];
  return static_cast<std::int32_t>(raw << shift) >> shift;
}

class pdp_engine {
 public:
  // in: width * height * lanes elements; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
               std::span<std::int8_t> out) {
    switch (l.method) {
      case pooling::max:
        return extremum(l, lanes, in, out, [](std::int16_t a, std::int16_t b) {
          return a > b ? a : b;
        });
      case pooling::min:
        return extremum(l, lanes, in, out, [](std::int16_t a, std::int16_t b) {
          return a < b ? a : b;
        });
      case pooling::average: return average(l, lanes, in, out);
    }
  }

 private:
  struct window {
    std::size_t begin, end;  // of the elements that exist
    std::size_t missing;
  };
  static window clip(std::size_t index, std::size_t stride, std::size_t pad, std::size_t kernel,
                     std::size_t size) {
    const auto at = index * stride;
    const auto begin = at < pad ? 0 : at - pad;
    const auto end = std::min(at + kernel < pad ? 0 : at + kernel - pad, size);
    return {begin, end, kernel - (end - begin)};
  }

  // Lines of a window reduced to one line.
  template <class F>
  void reduce_lines(std::span<const std::int8_t> in, std::size_t line, const window& rows,
                    const F& f) {
    column_.resize(line);
    std::copy_n(in.data() + rows.begin * line, line, column_.data());
    for (auto y = rows.begin + 1; y < rows.end; ++y) {
      const auto* from = in.data() + y * line;
      auto* to = column_.data();
      for (std::size_t i = 0; i < line; ++i)
        to[i] = static_cast<std::int16_t>(f(to[i], std::int16_t{from[i]}));
    }
  }

  template <class F>
  void extremum(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
                std::span<std::int8_t> out, const F& f) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      reduce_lines(in, l.width * lanes,
                   clip(y, l.stride_y, l.pad_top, l.kernel_height, l.height), f);
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = clip(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        for (std::size_t i = 0; i < lanes; ++i) {
          auto v = column_[columns.begin * lanes + i];
          for (auto c = columns.begin + 1; c < columns.end; ++c)
            v = f(v, column_[c * lanes + i]);
          to[i] = static_cast<std::int8_t>(v);
        }
      }
    }
  }

  void average(const pdp_layer& l, std::size_t lanes, std::span<const std::int8_t> in,
               std::span<std::int8_t> out) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      const auto rows = clip(y, l.stride_y, l.pad_top, l.kernel_height, l.height);
      reduce_lines(in, l.width * lanes, rows,
                   [](std::int16_t a, std::int16_t b) { return a + b; });
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = clip(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        const auto padding =
            static_cast<std::int32_t>(rows.end - rows.begin) * l.pad_value[columns.missing] +
            static_cast<std::int32_t>(l.kernel_width) * l.pad_value[rows.missing];
        for (std::size_t i = 0; i < lanes; ++i) {
          std::int32_t sum = padding;
          for (auto c = columns.begin; c < columns.end; ++c) sum += column_[c * lanes + i];
          to[i] = static_cast<std::int8_t>(
              pdp_average(sum, l.reciprocal_width, l.reciprocal_height));
        }
      }
    }
  }

  std::vector<std::int16_t> column_;
};

}  // namespace nvdlac::sim
