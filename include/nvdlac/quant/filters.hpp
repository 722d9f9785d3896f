// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of what sums products of its input and weights.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/convolution.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/prelu.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::quant {

// f(number of the weight, channel that it reads, kernel) for the filters of op, which read so many
// channels; nothing, where op has none.
template <class AnyOperator, class F>
void each_weight(const AnyOperator& op, std::size_t channels, const F& f) {
  const auto walk = [&](std::size_t weights, std::int32_t of, std::int32_t in_groups) {
    const auto kernels = static_cast<std::size_t>(of), groups = static_cast<std::size_t>(in_groups);
    const std::size_t taps = weights / kernels, of_group = channels / groups;
    for (std::size_t i = 0; i < weights; ++i) {
      const std::size_t k = i / taps;
      f(i, k / (kernels / groups) * of_group + i % taps / (taps / of_group), k);
    }
  };
  if (const auto* c = std::get_if<net::convolution>(&op))
    walk(c->weights.size(), c->kernels, c->groups);
  else if (const auto* fc = std::get_if<net::fully_connected>(&op))
    walk(fc->weights.size(), fc->outputs, 1);
}

// The pooling that alone reads the node that is being placed.
std::optional<quantised::pool> pooling_behind(const auto& to) {
  const auto& g = to.from();
  const auto readers = g.consumers(to.node());
  if (g[to.node()].output || readers.size() != 1) return std::nullopt;
  const auto* pool = std::get_if<net::pool>(&g[readers[0]].op);
  if (pool == nullptr || pool->global) return std::nullopt;
  return quantised::pool{.kind = pool->kind, .window = pool->window, .ceil = pool->ceil,
                         .count_include_pad = pool->count_include_pad};
}

// Whether these filters become those of Winograd's mode, which reads no pixels.
bool run_in_winograd(auto& to, const real_filters& f) {
  const auto& asked = to.how().winograd;
  if (!asked || !quantised::is_winograd_window(f.window, f.groups) || !to.in(0).offset.empty())
    return false;
  const auto* in = std::get_if<quantised::input>(&to.integers()[to.in(0).node].op);
  if (in != nullptr && in->pixels) return false;
  const net::only_size weights{f.weights.size()}, values{static_cast<std::size_t>(f.kernels)};
  quantised::convolution direct{.kernels = f.kernels, .window = f.window, .bias = values,
                                .multiplier = values};
  if (to.precision() == hw::precision::int8) direct.weights = weights;
  else direct.wide_weights = weights;
  std::vector<net::shape> shapes;
  for (const auto& i : to.in()) shapes.push_back(to.shape_of(i));
  const auto pool = pooling_behind(to);
  return asked(direct, pool ? &*pool : nullptr, shapes, to.precision());
}

// The integer convolution, whose exact filters those see that want to.
quantised::convolution integer_filters(auto& to, const real_filters& f, double in_scale,
                                       double out_scale) {
  const auto& tell = to.how().filters;
  const auto shifts = to.how().shifts_of(to.name());
  if (!tell || to.precision() != hw::precision::int8)
    return quantise(f, in_scale, out_scale, to.name(), to.precision(), nullptr, shifts);
  exact_filters exact;
  for (std::size_t k = 0; std::cmp_less(k, f.kernels); ++k)
    exact.offset.push_back(f.out_zero * out_scale * out_gain(f, k));
  auto result = quantise(f, in_scale, out_scale, to.name(), to.precision(), &exact, shifts);
  tell(to.name(), std::move(exact));
  return result;
}

// A layer of filters with a bias and perhaps a ReLU, of which each has `taps` weights.
void put_filters(auto& to, real_filters f, std::size_t taps) {
  if (f.weights.size() != static_cast<std::size_t>(f.kernels) * taps)
    throw error({.layer = to.name(), .reason = text(f.weights.size(), " weights instead of ",
                                                    f.kernels, " x ", taps)});
  f.winograd = run_in_winograd(to, f);
  if (to.real()) return to.put(real_convolution(f));
  const auto& in = to.in(0);
  f.gain = in.gain;
  f.offset = in.offset;
  f.in_zero = in.zero;
  f.mean = to.means();
  f.drift = to.drift();
  f.out_zero = to.zero();
  f.relu = f.relu && f.out_zero == 0;  // what is below the integer for 0 saturates
  f.most = most_before_slopes(to.from(), to.node(), to.top(), to.zeros());
  f.out_gain = gains_of(to.reach_of_channels(step_source::filters), to.range());
  to.put(integer_filters(to, f, in.scale, to.scale()), f.out_gain);
}

// The unit in which SDP adds a tensor to the sums of CONV: a step of the tensor is 2^shift units.
struct operand_unit {
  std::uint8_t shift = 0;
  double value = 1;
};

// `step` is what a step of the tensor is worth, `out_scale` one of the result, of which numbers up
// to `top` are used: at least 256 units, as far as the operand's shift allows, and not so many that
// the result needs more than 32 bits. A step that is finer still counts for a unit.
operand_unit unit_of_operand(double step, double out_scale, double top);

// The unit of X1's results that are multiplied by a tensor before they are rounded: 2^14 steps of
// the result are worth one of the tensor's, and the product of both fits 32 bits.
inline operand_unit unit_of_factor(double step, double out_scale) {
  return {.value = std::ldexp(out_scale / step, -14)};
}

// A convolution that its second input joins before it is rounded.
void put_filters_with_operand(auto& to, real_filters f, net::combination how) {
  f.winograd = run_in_winograd(to, f);
  if (to.real()) {
    auto op = real_convolution(f);
    op.with_second = how;
    return to.put(std::move(op));
  }
  const auto &in = to.in(0), &second = to.in(1);
  const bool is_product = how == net::combination::product;
  const auto unit = is_product ? unit_of_factor(second.scale, to.scale())
                               : unit_of_operand(second.scale, to.scale(), to.top());
  std::vector<float> bias(f.bias.begin(), f.bias.end());
  bias.resize(static_cast<std::size_t>(f.kernels));
  // Sums take the second input's zero out of the bias; what is compared has it on both sides.
  const double of_zero = second.zero * second.scale;
  const bool is_sum = how == net::combination::sum;
  for (float& b : bias) b = static_cast<float>(double{b} + (is_sum ? -of_zero : of_zero));
  f.bias = bias;
  f.gain = in.gain;
  f.offset = in.offset;
  f.in_zero = in.zero;
  f.mean = to.means();
  f.drift = to.drift();
  f.most = is_product ? std::ldexp(1, 24)
                      : 2 * (to.top() + 1) * (to.scale() + second.scale) / unit.value;
  auto op = integer_filters(to, f, in.scale, unit.value);
  op.relu = f.relu && to.zero() == 0;  // what is below the integer for 0 saturates
  op.with_second = how;
  op.operand_shift = unit.shift;
  op.out = nearest_converter(unit.value * (is_product ? second.scale : 1) / to.scale());
  const double from = is_sum ? 0 : std::ldexp(second.zero, unit.shift);
  if (to.zero() != 0 || from != 0) count_from(to.zero(), from, op.out);
  to.put(std::move(op));
}

struct filters_rule : usual_rule {
  static bool is_positive(const auto& op, const auto& at) { return op.relu || at.is_cut(); }
  static bool is_lopsided(const auto& op, const auto&) { return !op.relu; }
  static bool takes_zero(const auto&, const auto&) { return true; }
};

template <>
struct rule<net::convolution> : filters_rule {
  // Averages and interpolations have one; a trained filter gives much less than it could.
  static std::optional<double> bound(const net::convolution& op, std::span<const double> in) {
    if (op.kernels < 1) return std::nullopt;
    const std::size_t taps = op.weights.size() / static_cast<std::size_t>(op.kernels);
    double most = 0;
    for (std::size_t k = 0; k < op.weights.size(); k += taps) {
      double sum = 0;
      for (std::size_t i = k; i < k + taps; ++i) sum += std::fabs(double{op.weights[i]});
      most = std::max(most, sum);
    }
    if (taps == 0 || !(most <= 1.001)) return std::nullopt;
    const double sums = in[0] * most + largest_of(op.bias);
    if (in.size() == 1) return sums;
    switch (op.with_second) {
      case net::combination::product: return sums * in[1];
      case net::combination::sum: return sums + in[1];
      case net::combination::maximum:
      case net::combination::minimum: break;
    }
    return std::max(sums, in[1]);
  }
  // A product has no integer for 0 but 0, and what is compared has its ReLU in between.
  static bool takes_zero(const net::convolution& op, const auto&) {
    return op.with_second == net::combination::sum ||
           (op.with_second != net::combination::product && !op.relu);
  }
  static void run(const net::convolution& op, auto& to) {
    const auto channels = to.shape_of(to.in(0)).c / std::max(op.groups, 1);
    const real_filters filters{.kernels = op.kernels, .window = op.window, .groups = op.groups,
                               .weights = op.weights, .bias = op.bias, .relu = op.relu};
    if (to.in().size() > 1) return put_filters_with_operand(to, filters, op.with_second);
    put_filters(to, filters,
                net::shape{channels, op.window.kernel_h, op.window.kernel_w}.size());
  }
};

template <>
struct rule<net::fully_connected> : filters_rule {
  static void run(const net::fully_connected& op, auto& to) {
    const net::shape in = to.shape_of(to.in(0));
    put_filters(to, {.kernels = op.outputs, .window = {.kernel_h = in.h, .kernel_w = in.w},
                     .weights = op.weights, .bias = op.bias, .relu = op.relu}, in.size());
  }
};

template <>
struct rule<net::deconvolution> : usual_rule {
  static bool requantises(const net::deconvolution&, const reading&) { return false; }
  static void run(const net::deconvolution&, auto&) {
    throw error(problem{.reason = "a transposed convolution has no integer form",
                        .remedy = "run the pass split_deconvolution"});
  }
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/filters.ipp>
#endif
