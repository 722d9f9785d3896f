// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/pool.hpp>

namespace nvdlac::quant {

// Averages that get a scale of their own. PDP rounds to the scale of its input, of which the mean
// of many values uses but a few steps; CONV sums exactly and rounds once, to any scale.

// CONV takes a layer for each line of means, so that with more of them PDP's one layer is kept.
inline constexpr std::int32_t most_lines_of_means = 8;

// Whether PDP takes the window at once.
constexpr bool is_of_pdp(const net::window& w) {
  return std::max(w.kernel_h, w.kernel_w) <= hw::any_map.pdp.kernel;
}

// How many elements each window counts, if all count the same number.
std::optional<std::int64_t> elements_of_windows(const net::pool& op, net::shape in);

// The window with which CONV computes an average; none for what PDP does better or CONV cannot do.
std::optional<net::window> window_of_average(const net::pool& op, net::shape in);

// The size of PDP's integers behind an average over a whole input in levels, in integers of the
// input.
double factor_of_levels(const net::pool& op, net::shape in);

// The scale of an average whose values ask for `own`. Steps below the worth of one unit of the sum
// tell nothing apart. PDP stays, with the input's scale, where that costs at most 3 dB and one
// layer does it.
double scale_of_average(const net::pool& op, net::shape in, double in_scale, double own);

// The integers that stand for 0, and how the scales stand to each other.
struct average_numbers {
  double in_scale = 1, out_scale = 1;
  std::int32_t in_zero = 0, out_zero = 0;
};

// The weight of an average's sums: the bias, which SDP adds in units of a sum, is then finer than a
// step.
inline constexpr std::int8_t average_weight = 64;

// The average over `window`, each of which counts `elements`.
quantised::average quantise_average(const net::window& window, std::int64_t elements,
                                    const average_numbers& n);

// Poolings as sequences of NVDLA poolings, whose windows are no larger than its line buffers.
namespace detail {

// One side of a maximum over k elements: maxima over 8 at stride 1, then over those that remain.
// Each step pads as far as its windows still hold an element.
std::vector<net::sliding> maximum_steps(net::sliding s);

}  // namespace detail

// The hardware's poolings for `pool` over an input of shape `in`, giving shape `out`, where `zero`
// stands for 0. Throws when a window above 8 x 8 cannot be split. The levels of an average over a
// whole input give what factor_of_levels() says.
std::vector<quantised::pool> steps_of(const net::pool& pool, net::shape in, net::shape out,
                                      const std::string& layer, std::int8_t zero = 0);

// Whether CONV computes the average at a scale of its own where that is worth it: in int16 over
// windows alone that PDP takes in two steps, as the scale of its input is fine enough for one.
bool is_free_average(const net::pool& op, const reading& r);

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
    return !is_of_pdp(op.window_on(r.first)) || range != of_input;
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
                                     {from.scale, to.scale(), from.zero, to.zero()}),
                    from.gain);
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
      g[node].gain = from.gain;
    }
    if (factor != 1)
      node = to.emit(to.name(), real_scale(std::array{factor}, {}, false), {node}, to.scale(),
                     g[node].shape);
    to.put({.node = node, .scale = to.scale(), .gain = from.gain, .zero = to.zero()});
  }
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/pooling.ipp>
#endif
