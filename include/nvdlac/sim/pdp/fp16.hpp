// SPDX-License-Identifier: Apache-2.0
#pragma once
// PDP in fp16: sums in fp17, in the order of the hardware.
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/sim/pdp/layer.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// The contents of one layer's status registers.
struct pdp_statistics {
  std::uint64_t nan_inputs = 0, infinite_inputs = 0, nan_outputs = 0;
};

// One line of a window, left to right: `columns` elements, `step` apart.
constexpr fp17 pdp_line_sum(const std::uint16_t* x, std::size_t columns, std::size_t step,
                            fp17 pad) {
  auto sum = convert<fp17>(fp16{*x});
  for (std::size_t i = 1; i < columns; ++i) sum = add(sum, convert<fp17>(fp16{x[i * step]}));
  return add(sum, pad);
}

constexpr fp16 pdp_average(fp17 sum, fp17 reciprocal_width, fp17 reciprocal_height) {
  return convert<fp16>(mul(mul(sum, reciprocal_width), reciprocal_height));
}

class pdp_floats {
 public:
  pdp_statistics statistics{};

  // The bits of fp16. in: width * height * lanes elements, NaNs among them become 0 if the layer
  // is set so; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<std::uint16_t> in,
               std::span<std::uint16_t> out) {
    if (!l.flying) enter(l, lanes, in);
    auto* to = out.data();
    for (std::size_t y = 0; y < l.out_height; ++y) {
      const pdp_window rows(y, l.stride_y, l.pad_top, l.kernel_height, l.height);
      for (std::size_t x = 0; x < l.out_width; ++x) {
        const pdp_window columns(x, l.stride_x, l.pad_left, l.kernel_width, l.width);
        const auto* first = in.data() + (rows.begin * l.width + columns.begin) * lanes;
        for (std::size_t i = 0; i < lanes; ++i, ++to) {
          const auto r = l.method == pooling::average
                             ? average(l, first + i, rows, columns, lanes)
                             : extremum(l, first + i, rows, columns, lanes);
          statistics.nan_outputs += r.is_nan();
          *to = static_cast<std::uint16_t>(r.bits);
        }
      }
    }
  }

 private:
  static fp17 bits(std::int32_t raw) { return {static_cast<std::uint32_t>(raw) & 0x1ffff}; }

  // Inputs from memory are counted as often as they are read, and NaNs flushed.
  void enter(const pdp_layer& l, std::size_t lanes, std::span<std::uint16_t> in) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const fp16 x{in[i]};
      if (!x.is_nan() && !x.is_infinite()) [[likely]] continue;
      const auto times = reads(l, i / lanes % l.width);
      (x.is_nan() ? statistics.nan_inputs : statistics.infinite_inputs) += times;
      if (x.is_nan() && l.nan_to_zero) in[i] = 0;
    }
  }

  // How many parts of a split line read the column x.
  static std::uint64_t reads(const pdp_layer& l, std::size_t x) {
    if (l.split.parts == 1) return 1;
    const auto column = static_cast<std::int64_t>(x);
    const auto overlap = std::int64_t{l.kernel_width} - l.stride_x;
    std::uint64_t n = 0;
    std::int64_t at = 0;
    for (std::uint64_t p = 0; p < l.split.parts; ++p) {
      const auto end = at + static_cast<std::int64_t>(
                                l.split.in[p == 0 ? 0 : p + 1 == l.split.parts ? 2 : 1]);
      n += column >= (p == 0 ? at : at - overlap) && column < end;
      at = end;
    }
    return n;
  }

  static fp16 average(const pdp_layer& l, const std::uint16_t* first, const pdp_window& rows,
                      const pdp_window& columns, std::size_t lanes) {
    const auto pad = bits(l.pad_value[columns.missing]);
    const auto line = [&](std::size_t y) {
      return pdp_line_sum(first + (y - rows.begin) * l.width * lanes, columns.end - columns.begin,
                          lanes, pad);
    };
    auto sum = line(rows.begin);
    for (auto y = rows.begin + 1; y < rows.end; ++y) sum = add(line(y), sum);
    const auto rows_pad =
        mul(bits(l.pad_value[rows.missing]), from_integer<fp17>(l.kernel_width));
    return pdp_average(add(sum, rows_pad), {l.reciprocal_width}, {l.reciprocal_height});
  }

  static fp16 extremum(const pdp_layer& l, const std::uint16_t* first, const pdp_window& rows,
                       const pdp_window& columns, std::size_t lanes) {
    const bool greatest = l.method == pooling::max;
    const auto better = [&](fp16 a, fp16 b) { return greatest ? max(a, b) : min(a, b); };
    fp16 best{};
    for (auto y = rows.begin; y < rows.end; ++y, first += l.width * lanes) {
      fp16 line{*first};
      for (std::size_t i = 1; i < columns.end - columns.begin; ++i)
        line = better(line, {first[i * lanes]});
      best = y == rows.begin ? line : better(line, best);
    }
    return best;
  }
};

}  // namespace nvdlac::sim
