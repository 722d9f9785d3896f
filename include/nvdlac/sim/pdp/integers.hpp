// SPDX-License-Identifier: Apache-2.0
#pragma once
// PDP: pooling of integer cubes, one surface at a time.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/sim/pdp/layer.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// Pooling of int8 or int16 with sums of lines in Sum and sums of windows in 32 bits.
template <class Element, class Sum>
class pdp_integers {
 public:
  // in: width * height * lanes elements; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<const Element> in,
               std::span<Element> out) {
    switch (l.method) {
      case pooling::max:
        return extremum(l, lanes, in, out, [](Sum a, Sum b) { return a > b ? a : b; });
      case pooling::min:
        return extremum(l, lanes, in, out, [](Sum a, Sum b) { return a < b ? a : b; });
      case pooling::average: return average(l, lanes, in, out);
    }
  }

 private:
  static pdp_window columns_of(const pdp_layer& l, std::size_t x) {
    return {x, l.stride_x, l.pad_left, l.kernel_width, l.width};
  }
  static pdp_window rows_of(const pdp_layer& l, std::size_t y) {
    return {y, l.stride_y, l.pad_top, l.kernel_height, l.height};
  }

  // Lines of a window reduced to one line.
  template <class F>
  void reduce_lines(std::span<const Element> in, std::size_t line, const pdp_window& rows,
                    const F& f) {
    column_.resize(line);
    std::copy_n(in.data() + rows.begin * line, line, column_.data());
    for (auto y = rows.begin + 1; y < rows.end; ++y) {
      const auto* from = in.data() + y * line;
      auto* to = column_.data();
      for (std::size_t i = 0; i < line; ++i) to[i] = static_cast<Sum>(f(to[i], Sum{from[i]}));
    }
  }

  template <class F>
  void extremum(const pdp_layer& l, std::size_t lanes, std::span<const Element> in,
                std::span<Element> out, const F& f) {
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      reduce_lines(in, l.width * lanes, rows_of(l, y), f);
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = columns_of(l, x);
        for (std::size_t i = 0; i < lanes; ++i) {
          auto v = column_[columns.begin * lanes + i];
          for (auto c = columns.begin + 1; c < columns.end; ++c)
            v = f(v, column_[c * lanes + i]);
          to[i] = static_cast<Element>(v);
        }
      }
    }
  }

  void average(const pdp_layer& l, std::size_t lanes, std::span<const Element> in,
               std::span<Element> out) {
    const bool narrow = is_narrow(l);
    const auto by_width = static_cast<std::int32_t>(l.reciprocal_width);
    const auto by_height = static_cast<std::int32_t>(l.reciprocal_height);
    std::array<std::int32_t, 32> sums;  // lanes: at most a memory atom of bytes
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      const auto rows = rows_of(l, y);
      reduce_lines(in, l.width * lanes, rows, [](Sum a, Sum b) { return a + b; });
      for (std::size_t x = 0; x < l.out_width; ++x, to += lanes) {
        const auto columns = columns_of(l, x);
        const auto padding =
            static_cast<std::int32_t>(rows.end - rows.begin) * l.pad_value[columns.missing] +
            static_cast<std::int32_t>(l.kernel_width) * l.pad_value[rows.missing];
        std::fill_n(sums.begin(), lanes, padding);
        for (auto c = columns.begin; c < columns.end; ++c)
          for (std::size_t i = 0; i < lanes; ++i) sums[i] += column_[c * lanes + i];
        if (narrow)
          for (std::size_t i = 0; i < lanes; ++i)
            to[i] = static_cast<Element>(round_16(round_16(sums[i] * by_width) * by_height));
        else
          for (std::size_t i = 0; i < lanes; ++i)
            to[i] = static_cast<Element>(
                pdp_average(sums[i], l.reciprocal_width, l.reciprocal_height));
      }
    }
  }

  // round_shift by 16 without a branch.
  static constexpr std::int32_t round_16(std::int32_t x) {
    return (x + (1 << 15) + (x >> 31)) >> 16;
  }

  // Whether 32 bits hold both products of every average of the layer.
  static bool is_narrow(const pdp_layer& l) {
    std::int64_t pad = 0;
    for (const auto v : l.pad_value) pad = std::max(pad, std::abs(std::int64_t{v}));
    const auto largest = std::int64_t{1} << (8 * sizeof(Element) - 1);
    const auto sum = std::int64_t{l.kernel_width} * l.kernel_height * largest +
                     (std::int64_t{l.kernel_width} + l.kernel_height) * pad;
    constexpr std::int64_t most = INT32_MAX - (1 << 16);
    const auto product = sum * l.reciprocal_width;
    return product <= most && ((product >> 16) + 1) * l.reciprocal_height <= most;
  }

  std::vector<Sum> column_;
};

using pdp_engine = pdp_integers<std::int8_t, std::int16_t>;

}  // namespace nvdlac::sim
