// SPDX-License-Identifier: Apache-2.0
#pragma once
// Averages that get a scale of their own. PDP rounds to the scale of its input, of which the mean
// of many values uses but a few steps; CONV sums exactly and rounds once, to any scale.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/conv_window.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/pool_levels.hpp>
#include <nvdlac/quant/ratio.hpp>
#include <nvdlac/quantised/average.hpp>

namespace nvdlac::quant {

// CONV takes a layer for each line of means, so that with more of them PDP's one layer is kept.
inline constexpr std::int32_t most_lines_of_means = 8;

// How many elements each window counts, if all count the same number.
inline std::optional<std::int64_t> elements_of_windows(const net::pool& op, net::shape in) {
  const net::window w = op.window_on(in);
  const net::shape out = op.infer(std::array{in});
  const auto counted = [&](net::sliding s, std::int32_t size,
                           std::int32_t positions) -> std::int64_t {
    const auto at = [&](std::int32_t i) -> std::int64_t {
      const auto span = net::pool_span::at(s, size, i);
      return op.count_include_pad ? span.padded : span.end - span.begin;
    };
    for (std::int32_t i = 1; i < positions; ++i)
      if (at(i) != at(0)) return 0;
    return at(0);
  };
  const auto all = counted(net::vertical(w), in.h, out.h) *
                   counted(net::horizontal(w), in.w, out.w);
  return all > 0 ? std::optional(all) : std::nullopt;
}

// The window with which CONV computes an average; none for what PDP does better or CONV cannot do.
inline std::optional<net::window> window_of_average(const net::pool& op, net::shape in) {
  if (op.kind != net::pool_kind::average || op.keeps_scale || in.size() == 0) return std::nullopt;
  const net::shape out = op.infer(std::array{in});
  const net::window w = net::padded_for(op.window_on(in), in, out);
  if (out.h > most_lines_of_means || std::max(w.kernel_h, w.kernel_w) > net::whole_mean ||
      std::max(w.stride_h, w.stride_w) > hw::conv_stride || w.kernel_h * w.kernel_w == 1 ||
      !elements_of_windows(op, in))
    return std::nullopt;
  return w;
}

// What PDP's integers mean behind an average over a whole input in levels, in those of the input.
inline double factor_of_levels(const net::pool& op, net::shape in) {
  if (!op.global || op.kind != net::pool_kind::average || in.size() == 0 ||
      std::max(in.h, in.w) <= hw::pdp_kernel)
    return 1;
  return static_cast<double>(net::pool_in_levels(op.kind, in).reach) /
         static_cast<double>(std::int64_t{in.h} * in.w);
}

// The scale of an average whose values ask for `own`. Steps below the worth of one unit of the sum
// tell nothing apart. PDP stays, with the input's scale, where that costs at most 3 dB and one
// layer does it.
inline double scale_of_average(const net::pool& op, net::shape in, double in_scale, double own) {
  own = std::max(own, in_scale / static_cast<double>(*elements_of_windows(op, in)));
  const net::window w = op.window_on(in);
  const bool by_pdp = std::max(w.kernel_h, w.kernel_w) <= hw::pdp_kernel;
  return by_pdp && own * std::numbers::sqrt2 >= in_scale ? in_scale : own;
}

// The integers that stand for 0, and how the scales stand to each other.
struct average_numbers {
  double in_scale = 1, out_scale = 1;
  std::int32_t in_zero = 0, out_zero = 0;
};

// Of the sums of averages: the bias, which SDP adds in units of a sum, is then finer than a step.
inline constexpr std::int8_t average_weight = 64;

// The average over `window`, each of which counts `elements`.
inline quantised::average quantise_average(const net::window& window, std::int64_t elements,
                                              const average_numbers& n) {
  const double step =
      n.in_scale / n.out_scale / static_cast<double>(elements) / average_weight;
  const int shift = shift_for(step);
  quantised::average result{.window = window, .weight = average_weight,
                               .multiplier = round16(std::ldexp(step, shift)),
                               .shift = static_cast<std::uint8_t>(shift),
                               .pad = static_cast<std::int8_t>(n.in_zero)};
  if (std::round(std::ldexp(step, shift)) > 32767 || result.multiplier == 0)
    throw error(text("output scale ", n.out_scale, " does not go with input scale ", n.in_scale));
  const double exact = std::ldexp(static_cast<double>(result.multiplier), -shift);
  const double bias = n.out_zero / exact -
                      static_cast<double>(n.in_zero) * window.kernel_h * window.kernel_w *
                          average_weight;
  while (std::fabs(std::ldexp(bias, -result.bias_shift)) > 32767) ++result.bias_shift;
  result.bias = round16(std::ldexp(bias, -result.bias_shift));
  return result;
}

}  // namespace nvdlac::quant
