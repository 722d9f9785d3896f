// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/pdp/fp16.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void pdp_floats::surface(const pdp_layer& l, std::size_t lanes,
                                     std::span<std::uint16_t> in, std::span<std::uint16_t> out) {
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

NVDLAC_IMPL void pdp_floats::enter(const pdp_layer& l, std::size_t lanes,
                                   std::span<std::uint16_t> in) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const fp16 x{in[i]};
    if (!x.is_nan() && !x.is_infinite()) [[likely]] continue;
    const auto times = reads(l, i / lanes % l.width);
    (x.is_nan() ? statistics.nan_inputs : statistics.infinite_inputs) += times;
    if (x.is_nan() && l.nan_to_zero) in[i] = 0;
  }
}

NVDLAC_IMPL std::uint64_t pdp_floats::reads(const pdp_layer& l, std::size_t x) {
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

inline fp16 pdp_floats::average(const pdp_layer& l, const std::uint16_t* first,
                                     const pdp_window& rows, const pdp_window& columns,
                                     std::size_t lanes) {
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

inline fp16 pdp_floats::extremum(const pdp_layer& l, const std::uint16_t* first,
                                      const pdp_window& rows, const pdp_window& columns,
                                      std::size_t lanes) {
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

}  // namespace nvdlac::sim
