// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/pass/pool_levels.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/pooling.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/pool.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::optional<std::int64_t> elements_of_windows(const net::pool& op, net::shape in) {
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

NVDLAC_IMPL std::optional<net::window> window_of_average(const net::pool& op, net::shape in) {
  if (op.kind != net::pool_kind::average || op.keeps_scale || in.size() == 0) return std::nullopt;
  const net::shape out = op.infer(std::array{in});
  const net::window w = net::padded_for(op.window_on(in), in, out);
  if (out.h > most_lines_of_means || std::max(w.kernel_h, w.kernel_w) > pass::whole_mean ||
      std::max(w.stride_h, w.stride_w) > hw::any_map.convolution.stride ||
      w.kernel_h * w.kernel_w == 1 || !elements_of_windows(op, in))
    return std::nullopt;
  return w;
}

NVDLAC_IMPL double factor_of_levels(const net::pool& op, net::shape in) {
  if (!op.global || op.kind != net::pool_kind::average || in.size() == 0 ||
      std::max(in.h, in.w) <= hw::any_map.pdp.kernel)
    return 1;
  return static_cast<double>(pass::pool_in_levels(op.kind, in).reach) /
         static_cast<double>(std::int64_t{in.h} * in.w);
}

NVDLAC_IMPL double scale_of_average(const net::pool& op, net::shape in, double in_scale,
                                    double own) {
  own = std::max(own, in_scale / static_cast<double>(*elements_of_windows(op, in)));
  return is_of_pdp(op.window_on(in)) && own * std::numbers::sqrt2 >= in_scale ? in_scale : own;
}

NVDLAC_IMPL quantised::average quantise_average(const net::window& window, std::int64_t elements,
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

namespace detail {

NVDLAC_IMPL std::vector<net::sliding> maximum_steps(net::sliding s) {
  std::vector<net::sliding> steps;
  const auto& most = hw::any_map.pdp;
  while (s.kernel > most.kernel) {
    const auto before = std::min<std::int64_t>(s.before, most.pad),
               after = std::min<std::int64_t>(s.after, most.pad);
    steps.push_back({most.kernel, 1, before, after, 1});
    s.kernel -= most.kernel - 1;
    s.before -= before;
    s.after -= after;
  }
  steps.push_back(s);
  return steps;
}

}  // namespace detail

NVDLAC_IMPL std::vector<quantised::pool> steps_of(const net::pool& pool, net::shape in,
                                                  net::shape out, const std::string& layer,
                                                  std::int8_t zero) {
  const net::window w = pool.window_on(in);
  if (is_of_pdp(w))
    return {{.kind = pool.kind, .window = w, .ceil = pool.ceil && !pool.global,
             .count_include_pad = pool.count_include_pad, .pad = zero}};
  if (pool.kind == net::pool_kind::average && pool.global) {
    std::vector<quantised::pool> result;
    for (const auto& level : pass::pool_in_levels(pool.kind, in).levels)
      result.push_back({.kind = level.kind, .window = level.window, .count_include_pad = true,
                        .pad = zero});
    return result;
  }
  if (pool.kind == net::pool_kind::average)
    throw error({.layer = layer,
                 .reason = text("average pooling over ", w.kernel_h, 'x', w.kernel_w),
                 .remedy = "the passes split_global_pool and split_windows make smaller ones"});
  // No step rounds its size up: the padding behind is long enough for the last window.
  auto rows = detail::maximum_steps(net::vertical(w).padded_for(in.h, out.h));
  auto columns = detail::maximum_steps(net::horizontal(w).padded_for(in.w, out.w));
  const std::size_t steps = std::max(rows.size(), columns.size());
  rows.insert(rows.begin(), steps - rows.size(), {1, 1, 0, 0, 1});
  columns.insert(columns.begin(), steps - columns.size(), {1, 1, 0, 0, 1});
  std::vector<quantised::pool> result;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto narrow = [](std::int64_t x) { return static_cast<std::int32_t>(x); };
    const net::sliding &h = rows[i], &v = columns[i];
    result.push_back({.kind = pool.kind,
                      .window = {.kernel_h = narrow(h.kernel), .kernel_w = narrow(v.kernel),
                                 .stride_h = narrow(h.stride), .stride_w = narrow(v.stride),
                                 .pad_top = narrow(h.before), .pad_left = narrow(v.before),
                                 .pad_bottom = narrow(h.after), .pad_right = narrow(v.after)}});
  }
  return result;
}

NVDLAC_IMPL bool is_free_average(const net::pool& op, const reading& r) {
  const bool is_fine = r.precision == hw::precision::int16 && is_of_pdp(op.window_on(r.first));
  return r.precision != hw::precision::fp16 && !is_fine &&
         window_of_average(op, r.first).has_value();
}

}  // namespace nvdlac::quant
