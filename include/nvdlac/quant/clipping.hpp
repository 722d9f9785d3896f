// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of what bends at 0 or is clipped.
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
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::quant {

// Integer forms of ReLU and of clipping.

// The bounds in steps of the output, from the integer for 0 on: rounding commutes with clipping.
struct integer_bounds {
  std::int16_t low = quantised::no_low, high = quantised::no_high;

  bool none() const { return low == quantised::no_low && high == quantised::no_high; }
};
inline integer_bounds bounds_of(const net::clip& op, double out_scale,
                                hw::precision p = hw::precision::int8, std::int32_t zero = 0) {
  const double low = static_cast<double>(op.low), high = static_cast<double>(op.high);
  integer_bounds result;
  if (p == hw::precision::fp16) {  // nothing is beyond its range
    if (low > -65504) result.low = low == 0 ? std::int16_t{0} : half_bits(low, "bound");
    if (high < 65504) result.high = high == 0 ? std::int16_t{0} : half_bits(high, "bound");
    return result;
  }
  const double top = top_of(p);
  const auto step = [&](double bound) {
    return static_cast<std::int16_t>(
        std::clamp(std::round(bound / out_scale) + zero, -top - 1, top));
  };
  if (step(low) > -top - 1) result.low = step(low);
  if (step(high) < top) result.high = step(high);
  return result;
}

inline quantised::clip quantise_clip(integer_bounds bounds, double in_scale, double out_scale) {
  quantised::clip result{.low = bounds.low, .high = bounds.high};
  const double ratio = in_scale / out_scale;
  if (std::fabs(ratio - 1) < 1e-9) return result;  // but for its rounding
  const auto c = nearest_converter(ratio);
  result.multiplier = c.scale;
  result.shift = c.shift;
  return result;
}

// Whether SDP's ReLU of the operator cuts the integers that it gives off, and where: at what the
// converter makes of 0, which is another integer than that for 0 where the inputs count from
// elsewhere. None where the converter turns the sign, or a slope of a negative sign stands between.
template <class Op>
std::optional<std::int64_t> cut_of_relu(const Op& op, hw::precision p) {
  if constexpr (requires { op.slope; })
    if (std::any_of(op.slope.begin(), op.slope.end(), [](auto s) { return s < 0; }))
      return std::nullopt;
  if constexpr (requires { op.out; }) {
    if (op.out.scale < 0) return std::nullopt;
    if (p == hw::precision::fp16) return 0;  // which has no converter
    const auto top = static_cast<std::int64_t>(top_of(p));
    return std::clamp<std::int64_t>(op.out(0), -top - 1, top);
  }
  return 0;
}

// Makes what can be of the bounds a part of the operator whose tensor is clipped; what is left. One
// that `reads` two tensors has SDP's X2 for the second.
template <class Op>
integer_bounds join_bounds(Op& op, std::size_t reads, integer_bounds bounds,
                           hw::precision p = hw::precision::int8) {
  if constexpr (requires { op.relu; })
    if (const auto cut = cut_of_relu(op, p)) {
      if (bounds.low != quantised::no_low && bounds.low == *cut) op.relu = true;
      if (op.relu && bounds.low <= *cut) bounds.low = quantised::no_low;
    }
  if constexpr (requires { op.low, op.high, op.slope; }) {
    const integer_bounds none, own{op.low, op.high};
    const bool free = op.slope.empty() && own.none() && reads == 1 && op.out == converter{};
    if (free && bounds.low == none.low) op.high = std::exchange(bounds.high, none.high);
    else if (free && bounds.high == none.high) op.low = std::exchange(bounds.low, none.low);
  }
  return bounds;
}

template <>
struct rule<net::relu> : sharing_rule {
  static bool is_positive(const net::relu& op, const auto& at) { return cuts(op, at); }
  static bool cuts(const net::relu&, const auto& at) { return at.inputs_are_positive(); }
  static void run(const net::relu&, auto& to) {
    if (to.zero() != 0) return to.forward(1);  // nothing is below
    to.put(to.same(to.precision(), true));
  }
};

template <>
struct rule<net::clip> : usual_rule {
  static constexpr bool clips = true;
  static std::optional<double> inherent_scale(const net::clip& op) {
    const double range = std::max(std::fabs(double{op.low}), std::fabs(double{op.high}));
    return range > 0 && std::isfinite(range) ? std::optional(range / 127) : std::nullopt;
  }
  static bool is_positive(const net::clip& op, const auto& at) {
    return cuts(op, at) || (op.low <= 0 && op.high > 0 && at.inputs_are_positive() &&
                            at.gives_its_scale());
  }
  // Its producer must be able to give it its own scale alone, and count from where it does.
  static bool cuts(const net::clip& op, const auto& at) {
    return op.low == 0 && op.high > 0 && at.ends_convolution() && at.inputs_are_positive();
  }
  static bool is_lopsided(const net::clip&, const auto& at) {
    return at.inputs_are_lopsided() && at.gives_its_scale();
  }
  static void run(const net::clip& op, auto& to) {
    auto bounds = bounds_of(op, to.scale(), to.precision(), to.zero());
    const double in = to.in(0).scale;
    const bool keeps_scale = std::fabs(in / to.scale() - 1) < 1e-9;
    if (keeps_scale && to.reads_alone()) {
      const auto reads = to.integers().inputs(to.in(0).node).size();
      nvdlac::visit(
          [&](auto& before) { bounds = join_bounds(before, reads, bounds, to.precision()); },
          to.integers()[to.in(0).node].op);
    }
    if (keeps_scale && bounds.none()) return to.forward(1);
    to.put(quantise_clip(bounds, in, to.scale()));
  }
};

// Integer forms of PReLU, alone and behind a convolution.

// Whether the slopes of PReLU n become a part of the convolution or fully connected layer before
// it: nothing else reads that, and it ends with its sums. It then takes the scale of the PReLU, as
// its numbers are not cut to int8 in between.
template <class Graph>
bool joins_convolution(const Graph& g, typename Graph::id n) {
  if (!std::holds_alternative<net::prelu>(g[n].op)) return false;
  const auto from = g.inputs(n)[0];
  if (g[from].output || g.consumers(from).size() != 1 || g.inputs(from).size() != 1) return false;
  if (const auto* c = std::get_if<net::convolution>(&g[from].op)) return !c->relu;
  if (const auto* f = std::get_if<net::fully_connected>(&g[from].op)) return !f->relu;
  return false;
}

// Up to which integer what filter n gives counts: slopes that join it make larger ones smaller.
// `zeros` stand for 0 behind each node.
template <class Graph>
double most_before_slopes(const Graph& g, typename Graph::id n, double top,
                          const std::vector<std::int32_t>& zeros) {
  const auto readers = g.consumers(n);
  if (readers.size() != 1 || !joins_convolution(g, readers[0])) return top;
  double least = 1;
  for (const float s : std::get<net::prelu>(g[readers[0]].op).slope)
    if (s != 0) least = std::min(least, std::fabs(double{s}));
  return (top - zeros[readers[0]]) / least;
}

// Slopes with 15 bits of the largest and a common shift.
struct shared_slopes {
  std::vector<std::int16_t> values{};
  std::uint8_t shift = 0;
};
inline shared_slopes share_slopes(std::span<const float> slope) {
  double top = 0;
  for (const float s : slope) top = std::max(top, std::fabs(static_cast<double>(s)));
  if (!(top <= 32767)) throw error(text("its largest slope is ", top, ", which is above 32767"));
  const int shift = top > 0 ? shift_for(top) : 0;
  shared_slopes result{.shift = static_cast<std::uint8_t>(shift)};
  for (const float s : slope)
    result.values.push_back(round16(std::ldexp(static_cast<double>(s), shift)));
  if (std::all_of(result.values.begin(), result.values.end(),
                  [&](auto v) { return v == result.values[0]; }))
    result.values.resize(1);
  return result;
}

// 14 bits behind the point, so that only the output converter rounds visibly.
inline quantised::prelu quantise_prelu(std::span<const float> slope, double in_scale,
                                          double out_scale) {
  auto shared = share_slopes(slope);
  return {.multiplier = 1 << 14,
          .slope = std::move(shared.values),
          .shift = shared.shift,
          .out = nearest_converter(std::ldexp(in_scale / out_scale, -14))};
}

inline quantised::prelu real_prelu(std::span<const float> slope) {
  return {.multiplier = hw::one(hw::precision::fp16), .slope = half_bits_of(slope, "slope")};
}

// X1 leaves up to 8 bits behind the point for the slopes of X2; the output converter rounds.
// `zero` is what stands for 0 behind it.
inline void join_prelu(quantised::convolution& op, std::span<const float> slope,
                       std::int32_t zero = 0) {
  auto shared = share_slopes(slope);
  op.slope = std::move(shared.values);
  op.slope_shift = shared.shift;
  op.out.shift = std::min<std::uint8_t>(op.shift, 8);
  op.shift = static_cast<std::uint8_t>(op.shift - op.out.shift);
  op.out.offset = -zero * (1 << op.out.shift);
}

template <>
struct rule<net::prelu> : usual_rule {
  static std::optional<double> bound(const net::prelu& op, std::span<const double> in) {
    return in[0] * std::max(1.0, largest_of(op.slope));
  }
  static bool is_lopsided(const net::prelu&, const auto& at) { return at.joins_convolution(); }
  static bool takes_zero(const net::prelu&, const auto&) { return false; }
  static void run(const net::prelu& op, auto& to) {
    if (!joins_convolution(to.from(), to.node()))
      return to.put(to.real() ? real_prelu(op.slope)
                              : quantise_prelu(op.slope, to.in(0).scale, to.scale()));
    auto& node = to.integers()[to.in(0).node];
    auto& before = std::get<quantised::convolution>(node.op);
    if (to.real()) before.slope = half_bits_of(op.slope, "slope");
    else join_prelu(before, op.slope, to.zero());
    to.forward(1);
    node.zero = to.placed().zero = to.zero();
  }
};

}  // namespace nvdlac::quant
