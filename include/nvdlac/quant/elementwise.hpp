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
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::quant {

// y[c] = factor[c] * x + bias[c], each of C or one number. `zero`: the integer for 0 in the output;
// where there is one, values below it saturate.
inline quantised::scale quantise_scale(std::span<const double> factor,
                                          std::span<const double> bias, bool relu, double in_scale,
                                          double out_scale, double top = 127,
                                          std::int32_t zero = 0) {
  const std::size_t n = std::max(factor.size(), bias.size());
  std::vector<double> f(n), b(n);  // in steps of the output
  double top_f = 0, top_b = 0;
  if (zero != 0) top = 2 * top + 1;  // from the integer for 0 on
  for (std::size_t c = 0; c < n; ++c) {
    f[c] = factor[factor.size() == 1 ? 0 : c] * (in_scale / out_scale);
    b[c] = bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : c] / out_scale;
    // A factor that saturates for every x but 0 may be cut to one that still does, and so may a
    // bias that saturates for every x.
    f[c] = std::clamp(f[c], -2 * std::fabs(b[c]) - top - 3, 2 * std::fabs(b[c]) + top + 3);
    const double reach = top + 3 + (top + 2) * std::fabs(f[c]);
    b[c] = std::clamp(b[c], -reach, reach);
    top_f = std::max(top_f, std::fabs(f[c]));
    top_b = std::max(top_b, std::fabs(b[c]));
  }
  // One unit of the sum: the largest factor has 15 bits, the largest bias 30.
  const double unit = std::max(
      {top_f / 32000, std::ldexp(top_b, -30), zero == 0 ? 1e-290 : least_ratio});
  quantised::scale result{.relu = relu && zero == 0, .out = nearest_converter(unit)};
  if (zero != 0) count_from(zero, 0, result.out);
  const double exact = unit > 32767 || result.out.scale == 0 ? unit : ratio_of(result.out);
  while (std::ldexp(top_b / exact, -result.addend_shift) > 32767) ++result.addend_shift;
  for (std::size_t c = 0; c < n; ++c) {
    result.multiplier.push_back(round16(f[c] / exact));
    if (top_b > 0) result.addend.push_back(round16(std::ldexp(b[c] / exact, -result.addend_shift)));
  }
  const auto uniform = [](auto& v) {
    if (std::all_of(v.begin(), v.end(), [&](auto x) { return x == v[0]; }) && !v.empty())
      v.resize(1);
  };
  uniform(result.multiplier);
  uniform(result.addend);
  return result;
}

// Two inputs as a * multiplier and b << shift in one unit, and what that unit is in steps of the
// output. Exact but for the multiplier's 15 bits, or less than 2^-16 of a step of b.
struct common_unit {
  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;
  converter out{};
};

// a and b are what one step of either is worth; b > 0. The ratio of `out` is at least `least`.
inline common_unit share_unit(double a, double b, double out_scale, double top = 127,
                              double least = 0) {
  b = std::max(b, least * out_scale);
  if (std::fabs(a) / b > 32767) {
    // b is far finer than a. Either one step of a saturates the output beside b, and a may count
    // for less; or all of b is less than a step of the output, and b may count for more.
    if (b * 32767 >= 2 * (top + 1) * out_scale)
      a = std::copysign(b * 32767, a);
    else
      a = std::copysign(std::min(std::fabs(a), 2 * (top + 1) * out_scale), a),
      b = std::fabs(a) / 32767;
  }
  // Either term stays below 2^31.
  int most = top > 127 ? 15 : 23;
  if (least > 0) most = std::min(most, std::ilogb(b / (least * out_scale)));
  const int shift = a == 0 ? 0 : std::min(shift_for(std::fabs(a) / b), most);
  return {.multiplier = round16(std::ldexp(a / b, shift)),
          .operand_shift = static_cast<std::uint8_t>(shift),
          .out = nearest_converter(std::ldexp(b / out_scale, -shift))};
}

// The integers that stand for 0 in the inputs and in the output of a sum.
struct sum_zeros {
  std::int32_t a = 0, b = 0, out = 0;
  bool operator==(const sum_zeros&) const = default;
};

// a + b, where a and b are what one step of either is worth; a negative b has no ReLU, nor has a
// sum of integers that count from others than 0.
inline quantised::add quantise_sum(double a, double b, bool relu, double out_scale,
                                      double top = 127, sum_zeros zero = {}) {
  const double sign = b < 0 ? -1 : 1;
  const bool shifted = zero != sum_zeros{};
  auto unit = share_unit(sign * a, sign * b, out_scale, top, shifted ? least_ratio : 0);
  unit.out.scale = static_cast<std::int16_t>(sign * unit.out.scale);
  if (shifted)
    count_from(zero.out, zero.a * unit.multiplier + std::ldexp(zero.b, unit.operand_shift),
               unit.out);
  return {.multiplier = unit.multiplier, .operand_shift = unit.operand_shift, .relu = relu,
          .out = unit.out};
}
// a + b of two scales.
inline quantised::add quantise_add(double scale_a, double scale_b, bool relu, double out_scale) {
  return quantise_sum(scale_a, scale_b, relu, out_scale);
}

inline quantised::extremum quantise_extremum(net::extremum_kind kind, double scale_a,
                                                double scale_b, bool relu, double out_scale,
                                                double top = 127) {
  const auto unit = share_unit(scale_a, scale_b, out_scale, top);
  return {.kind = kind, .multiplier = unit.multiplier, .operand_shift = unit.operand_shift,
          .relu = relu, .out = unit.out};
}

inline quantised::multiply quantise_multiply(double scale_a, double scale_b, bool relu,
                                                double out_scale) {
  return {.relu = relu, .out = nearest_converter(scale_a * scale_b / out_scale)};
}

// Inputs that have the output's scale and count from its `zero` are copied, the others rescaled.
// Without `zeros` all count from there.
inline quantised::concat quantise_concat(std::span<const double> in_scales, double out_scale,
                                            double levels = 127, std::int8_t zero = 0,
                                            std::vector<std::int8_t> zeros = {}) {
  if (std::ranges::all_of(zeros, [&](auto z) { return z == zero; })) zeros.clear();
  quantised::concat result{.zeros = zeros, .zero = zero};
  std::vector<double> ratio;
  const auto is_copied = [&](std::size_t i) {  // but for its rounding
    return std::fabs(ratio[i] - 1) < 1e-9 && result.zero_of(i) == zero;
  };
  double top = 0;
  for (std::size_t i = 0; i < in_scales.size(); ++i) {
    // Every integer but that for 0 saturates from there on.
    ratio.push_back(
        std::min(in_scales[i] / out_scale, std::min((levels + 1) * (zero == 0 ? 1 : 2), 32767.0)));
    if (!is_copied(i)) top = std::max(top, ratio.back());
  }
  const int shift = top > 0 ? shift_for(top) : 0;
  result.shift = static_cast<std::uint8_t>(shift);
  for (std::size_t i = 0; i < ratio.size(); ++i)
    result.multiplier.push_back(
        is_copied(i) ? std::nullopt : std::optional(round16(std::ldexp(ratio[i], shift))));
  return result;
}

// y[c] = factor[c] * x + bias[c], each of C or one number, in the node's precision.
void put_scale(auto& to, std::span<const double> factor, std::span<const double> bias = {},
               bool relu = false) {
  for (const auto v : {factor, bias})
    for (const double x : v)
      if (!std::isfinite(x))
        throw error({.layer = to.name(), .reason = text("a factor or bias is ", x)});
  if (to.real()) return to.put(real_scale(factor, bias, relu));
  to.put(quantise_scale(factor, bias, relu, to.in(0).scale, to.scale(), to.top(), to.zero()));
}

// A scaling by one positive factor: it costs nothing, only the meaning of the integers changes.
// The factor, or nothing if it is another scaling.
inline std::optional<double> free_factor(const net::scale& s) {
  if (s.relu || s.factor.empty() || !(s.factor[0] > 0)) return std::nullopt;
  for (const float f : s.factor)
    if (f != s.factor[0]) return std::nullopt;
  for (const float b : s.bias)
    if (b != 0) return std::nullopt;
  return double{s.factor[0]};
}

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
    const std::vector<double> factor(op.factor.begin(), op.factor.end()),
        bias(op.bias.begin(), op.bias.end());
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

}  // namespace nvdlac::quant
