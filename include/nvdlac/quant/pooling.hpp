// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poolings as sequences of NVDLA poolings, whose windows are at most hw::pdp_kernel.
#include <optional>
#include <array>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/pdp_window.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/pool_levels.hpp>
#include <nvdlac/quant/averaging.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::quant {

namespace detail {

// One side of a maximum over k elements: maxima over 8 at stride 1, then over those that remain.
// Each step pads as far as its windows still hold an element.
inline std::vector<net::sliding> maximum_steps(net::sliding s) {
  std::vector<net::sliding> steps;
  while (s.kernel > hw::pdp_kernel) {
    const auto before = std::min<std::int64_t>(s.before, hw::pdp_pad),
               after = std::min<std::int64_t>(s.after, hw::pdp_pad);
    steps.push_back({hw::pdp_kernel, 1, before, after, 1});
    s.kernel -= hw::pdp_kernel - 1;
    s.before -= before;
    s.after -= after;
  }
  steps.push_back(s);
  return steps;
}

}  // namespace detail

// What `pool` over an input of shape `in`, giving shape `out`, is on the hardware, where `zero`
// stands for 0. Throws when a window above 8 x 8 cannot be split. The levels of an average over a
// whole input give what factor_of_levels() says.
inline std::vector<quantised::pool> steps_of(const net::pool& pool, net::shape in,
                                                net::shape out, const std::string& layer,
                                                std::int8_t zero = 0) {
  const net::window w = pool.window_on(in);
  if (std::max(w.kernel_h, w.kernel_w) <= hw::pdp_kernel)
    return {{.kind = pool.kind, .window = w, .ceil = pool.ceil && !pool.global,
             .count_include_pad = pool.count_include_pad, .pad = zero}};
  if (pool.kind == net::pool_kind::average && pool.global) {
    std::vector<quantised::pool> result;
    for (const auto& level : net::pool_in_levels(pool.kind, in).levels)
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

// Whether CONV can compute the average at a scale of its own.
inline bool is_free_average(const net::pool& op, const reading& r) {
  return r.precision == hw::precision::int8 && window_of_average(op, r.first).has_value();
}

template <>
struct rule<net::pool> : usual_rule {
  static constexpr bool needs_entry = false;
  static std::optional<double> shared_factor(const net::pool& op, const reading& r) {
    return is_free_average(op, r) ? std::nullopt : std::optional(factor_of_levels(op, r.first));
  }
  static bool requantises(const net::pool& op, const reading& r) { return is_free_average(op, r); }
  static std::optional<double> settled_scale(const net::pool& op, const reading& r,
                                             double in_scale, double own) {
    return scale_of_average(op, r.first, in_scale, own);
  }
  // PDP gives its input's scale, and small windows alone at once.
  static bool is_averaged(const net::pool& op, const reading& r, double range, double of_input) {
    if (!is_free_average(op, r)) return false;
    const auto w = op.window_on(r.first);
    return std::max(w.kernel_h, w.kernel_w) > hw::pdp_kernel || range != of_input;
  }
  static bool keeps_zero(const net::pool&) { return true; }
  static bool is_lopsided(const net::pool& op, const auto& at) {
    return at.is_averaged() || usual_rule::is_lopsided(op, at);
  }
  static bool takes_zero(const net::pool&, const auto& at) {
    return at.is_averaged() || at.is_in_set();
  }

  static void run(const net::pool& op, auto& to) {
    const auto& from = to.in(0);
    const net::shape in = to.shape_of(from);
    if (to.averaged())
      return to.put(quantise_average(*window_of_average(op, in), *elements_of_windows(op, in),
                                     {from.scale, to.scale(), from.zero, to.zero()}));
    auto& g = to.integers();
    const auto steps = steps_of(op, in, to.shape(), to.name(), static_cast<std::int8_t>(to.zero()));
    const double factor = to.real() ? factor_of_levels(op, in) : 1;  // integers mean it
    auto node = from.node;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool last = i + 1 == steps.size() && factor == 1;
      const std::string name =
          last ? to.name() : to.unused_name(text(to.name(), "/part", i + 1));
      node = to.emit(name, steps[i], {node}, to.scale(), steps[i].infer(std::array{g[node].shape}));
      g[node].zero = to.zero();
    }
    if (factor != 1)
      node = to.emit(to.name(), real_scale(std::array{factor}, {}, false), {node}, to.scale(),
                     g[node].shape);
    to.put({.node = node, .scale = to.scale(), .zero = to.zero()});
  }
};

}  // namespace nvdlac::quant
