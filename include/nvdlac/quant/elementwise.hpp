// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer forms of per-channel scaling, addition and concatenation.
#include <utility>
#include <optional>
#include <array>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/elementwise.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/move.hpp>

namespace nvdlac::quant {

// y[c] = factor[c] * x + bias[c], each of C or one number. `zero`: the integer for 0 in the output;
// where there is one, values below it saturate.
quantised::scale quantise_scale(std::span<const double> factor, std::span<const double> bias,
                                bool relu, double in_scale, double out_scale, double top = 127,
                                std::int32_t zero = 0);

// Two inputs as a * multiplier and b << shift in one unit, and what that unit is in steps of the
// output. Exact but for the multiplier's 15 bits, or less than 2^-16 of a step of b.
struct common_unit {
  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;
  converter out{};
};

// a and b are what one step of either is worth; b > 0. The ratio of `out` is at least `least`.
common_unit share_unit(double a, double b, double out_scale, double top = 127, double least = 0);

// The integers that stand for 0 in the inputs and in the output of a sum.
struct sum_zeros {
  std::int32_t a = 0, b = 0, out = 0;
  bool operator==(const sum_zeros&) const = default;
};

// a + b, where a and b are what one step of either is worth; a negative b has no ReLU, nor has a
// sum of integers that count from others than 0.
quantised::add quantise_sum(double a, double b, bool relu, double out_scale, double top = 127,
                            sum_zeros zero = {});
// a + b of two scales.
quantised::add quantise_add(double scale_a, double scale_b, bool relu, double out_scale);

quantised::extremum quantise_extremum(net::extremum_kind kind, double scale_a, double scale_b,
                                      bool relu, double out_scale, double top = 127);

quantised::multiply quantise_multiply(double scale_a, double scale_b, bool relu, double out_scale);

// Inputs that have the output's scale and count from its `zero` are copied, the others rescaled.
// Without `zeros` all count from there.
quantised::concat quantise_concat(std::span<const double> in_scales, double out_scale,
                                  double levels = 127, std::int8_t zero = 0,
                                  std::vector<std::int8_t> zeros = {});

// Factor and bias of a channel.
inline double factor_of(const net::scale& s, std::size_t c) {
  return s.factor.empty() ? 1 : double{s.factor[s.factor.size() == 1 ? 0 : c]};
}
inline double bias_of(const net::scale& s, std::size_t c) {
  return s.bias.empty() ? 0 : double{s.bias[s.bias.size() == 1 ? 0 : c]};
}

// y[c] = factor[c] * x + bias[c], each of C or one number, in the node's precision.
void put_scale(auto& to, std::span<const double> factor, std::span<const double> bias = {},
               bool relu = false) {
  if (factor.empty() || (factor.size() > 1 && bias.size() > 1 && factor.size() != bias.size()))
    throw error({.layer = to.name(),
                 .reason = text("its rule gives ", count_of(factor.size(), "factor"), " and ",
                                bias.size(), " for the bias")});
  for (const auto v : {factor, bias})
    for (const double x : v)
      if (!std::isfinite(x))
        throw error({.layer = to.name(), .reason = text("a factor or bias is ", x)});
  if (to.real()) return to.put(real_scale(factor, bias, relu));
  to.put(quantise_scale(factor, bias, relu, to.in(0).scale, to.scale(), to.top(), to.zero()));
}

// A scaling by one positive factor: it costs nothing, only the meaning of the integers changes.
// The factor, or nothing if it is another scaling.
std::optional<double> free_factor(const net::scale& s);

template <>
struct rule<net::scale> : usual_rule {
  static std::optional<double> shared_factor(const net::scale& op, const reading&) {
    return free_factor(op);
  }
  static std::optional<double> bound(const net::scale& op, std::span<const double> in) {
    return in[0] * largest_of(op.factor) + largest_of(op.bias);
  }
  static bool is_positive(const net::scale& op, const auto&) { return op.relu; }
  static bool takes_zero(const net::scale&, const auto&) { return false; }
  static void run(const net::scale& op, auto& to) {
    if (const auto factor = free_factor(op); factor && !to.real()) return to.forward(*factor);
    const auto channels = static_cast<std::size_t>(to.shape().c);
    if (auto in = to.in(0); !in.offset.empty() || to.scales_filters()) {
      in.gain.resize(channels, 1);  // the same integers mean something else
      const auto is_set = [](float b) { return b != 0; };
      if (std::ranges::any_of(op.bias, is_set)) in.offset.resize(channels, 0);
      for (std::size_t c = 0; c < channels; ++c) {
        in.gain[c] *= factor_of(op, c);
        if (!in.offset.empty()) in.offset[c] = in.offset[c] * factor_of(op, c) + bias_of(op, c);
      }
      return to.put(std::move(in));
    }
    std::vector<double> factor(op.factor.begin(), op.factor.end());
    const std::vector<double> bias(op.bias.begin(), op.bias.end());
    if (const auto& gain = to.in(0).gain; !gain.empty()) {
      factor.clear();
      for (std::size_t c = 0; c < channels; ++c) factor.push_back(factor_of(op, c) * gain[c]);
    }
    put_scale(to, factor, bias, op.relu);
  }
};

template <>
struct rule<net::batch_norm> : usual_rule {
  static void run(const net::batch_norm& op, auto& to) {
    std::vector<double> factor, bias;
    for (std::size_t c = 0; c < op.mean.size(); ++c) {
      const double deviation = std::sqrt(double{op.variance.at(c)} + double{op.epsilon});
      factor.push_back((op.gamma.empty() ? 1.0 : double{op.gamma.at(c)}) / deviation);
      bias.push_back((op.beta.empty() ? 0.0 : double{op.beta.at(c)}) -
                     double{op.mean[c]} * factor[c]);
    }
    put_scale(to, factor, bias);
  }
};

// SDP's first input is the one of the result's shape; of two, the finer one is the operand.
template <class Builder>
bool is_first(const Builder& to, const typename Builder::operand& a, double of_a,
              const typename Builder::operand& b, double of_b) {
  const auto shape_a = to.shape_of(a), shape_b = to.shape_of(b);
  if (shape_a != shape_b) return shape_a.size() > shape_b.size();
  return std::fabs(of_a) >= std::fabs(of_b);
}

template <>
struct rule<net::add> : usual_rule {
  static std::optional<double> bound(const net::add& op, std::span<const double> in) {
    return in[0] * std::fabs(double{op.coefficients[0]}) +
           in[1] * std::fabs(double{op.coefficients[1]});
  }
  static bool has_both(const net::add& op) {
    return op.coefficients[0] != 0 && op.coefficients[1] != 0;
  }
  static bool keeps_zero(const net::add& op) {
    return op.coefficients[0] > 0 && op.coefficients[1] > 0;
  }
  static bool is_positive(const net::add& op, const auto& at) {
    return op.relu || usual_rule::is_positive(op, at);
  }
  static bool is_lopsided(const net::add& op, const auto&) { return !op.relu && has_both(op); }
  // A sum has its ReLU before it subtracts anything.
  static bool takes_zero(const net::add& op, const auto& at) {
    return (at.is_positive() || !op.relu) && has_both(op);
  }

  static void run(const net::add& op, auto& to) {
    if (to.real()) return put_real(op, to);
    auto& in = to.in();
    double a = in[0].scale * double{op.coefficients[0]};
    double b = in[1].scale * double{op.coefficients[1]};
    const bool relu = op.relu && to.zero() == 0;  // else what is below saturates
    // ReLU comes before the output converter, so the operand is added.
    const bool opposite =
        relu && to.shape_of(in[0]) == to.shape_of(in[1]) && (a < 0) != (b < 0);
    if (opposite ? a > 0 : !is_first(to, in[0], a, in[1], b)) {
      std::swap(in[0], in[1]);
      std::swap(a, b);
    }
    if (b == 0) {
      in.pop_back();
      return to.put(quantise_scale(std::array{a / in[0].scale}, {}, relu, in[0].scale, to.scale(),
                                   to.top(), to.zero()));
    }
    const bool apart = relu && b < 0;
    to.put(quantise_sum(a, b, relu && !apart, to.scale(), to.top(),
                        {in[0].zero, in[1].zero, to.zero()}));
    if (apart) {
      in = {to.placed()};
      to.integers()[in[0].node].name = to.unused_name(to.name() + "/sum");
      to.put(to.same(to.precision(), true));
    }
  }

 private:
  // In fp16: the second input is scaled before, if it is.
  static void put_real(const net::add& op, auto& to) {
    auto& in = to.in();
    double a = double{op.coefficients[0]}, b = double{op.coefficients[1]};
    const bool swap = to.shape_of(in[0]) == to.shape_of(in[1]) ? b != 1
                                                               : !is_first(to, in[0], 1, in[1], 1);
    if (swap) {
      std::swap(in[0], in[1]);
      std::swap(a, b);
    }
    if (b != 1)
      in[1].node = to.emit(to.unused_name(to.name() + "/factor"),
                           real_scale(std::array{b}, {}, false), {in[1].node}, 1,
                           to.shape_of(in[1]));
    to.put(quantised::add{.multiplier = half_bits(a, "factor"), .relu = op.relu});
  }
};

template <>
struct rule<net::extremum> : usual_rule {
  static std::optional<double> bound(const net::extremum&, std::span<const double> in) {
    return std::ranges::max(in);
  }
  static void run(const net::extremum& op, auto& to) {
    auto& in = to.in();
    if (!is_first(to, in[0], in[0].scale, in[1], in[1].scale)) std::swap(in[0], in[1]);
    if (to.real())
      return to.put(quantised::extremum{.kind = op.kind, .multiplier = hw::one(to.precision()),
                                           .relu = op.relu});
    to.put(quantise_extremum(op.kind, in[0].scale, in[1].scale, op.relu, to.scale(), to.top()));
  }
};

template <>
struct rule<net::multiply> : usual_rule {
  static std::optional<double> bound(const net::multiply&, std::span<const double> in) {
    return in[0] * in[1];
  }
  static void run(const net::multiply& op, auto& to) {
    auto& in = to.in();
    if (to.shape_of(in[0]).size() < to.shape_of(in[1]).size()) std::swap(in[0], in[1]);
    if (to.real()) return to.put(quantised::multiply{.relu = op.relu});
    to.put(quantise_multiply(in[0].scale, in[1].scale, op.relu, to.scale()));
  }
};

template <>
struct rule<net::elementwise_prelu> : usual_rule {
  static std::optional<double> bound(const net::elementwise_prelu&, std::span<const double> in) {
    return in[0] * std::max(1.0, in[1]);
  }
  static bool takes_zero(const net::elementwise_prelu&, const auto&) { return false; }
  // 14 bits behind the point, so that only the output converter rounds visibly.
  static void run(const net::elementwise_prelu&, auto& to) {
    if (to.real())
      return to.put(quantised::elementwise_prelu{.multiplier = hw::one(to.precision())});
    const auto shift = put_slopes(to);
    to.put(quantised::elementwise_prelu{
        .multiplier = 1 << 14,
        .shift = shift,
        .out = nearest_converter(std::ldexp(to.in(0).scale / to.scale(), -14))});
  }

 private:
  // Gives the slopes a scale that is a power of two, 2^-shift: SDP has no other factor that is for
  // negative numbers alone.
  static std::uint8_t put_slopes(auto& to) {
    const auto& from = to.from();
    const auto n = from.inputs(to.node())[1];
    const auto* known = std::get_if<net::constant>(&from[n].op);
    if (known == nullptr)
      throw error({.layer = to.name(), .reason = "its slopes are computed in the network",
                   .remedy = "slopes that are known run in all precisions, others in fp16"});
    const double most = largest_of(known->value.values);
    if (!(most <= to.top()))
      throw error({.layer = to.name(), .reason = text("its largest slope is ", most,
                                                      ", which is above ", to.top()),
                   .remedy = "a net::prelu before it can take a factor of all slopes"});
    const int shift = most > 0 ? std::min(std::ilogb(to.top() / most), 31) : 0;
    quantised::constant slopes{.shape = known->value.shape};
    for (const float v : known->value.values) {
      const auto number = round_to(std::ldexp(double{v}, shift), to.top());
      if (to.precision() == hw::precision::int16) slopes.wide_values.push_back(number);
      else slopes.values.push_back(static_cast<std::int8_t>(number));
    }
    const double scale = std::ldexp(1.0, -shift);
    auto& placed = to.integers()[to.in(1).node];
    if (from.consumers(n).size() == 1 && !from[n].output &&
        std::holds_alternative<quantised::constant>(placed.op)) {
      placed.op = std::move(slopes);
      placed.scale = scale;
    } else {
      to.in(1).node = to.emit(to.unused_name(to.name() + "/slopes"), std::move(slopes), {}, scale,
                              known->value.shape);
    }
    return static_cast<std::uint8_t>(shift);
  }
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/elementwise.ipp>
#endif
