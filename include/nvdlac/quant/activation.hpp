// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer forms of clipping and PReLU, alone and behind a convolution.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/net/integer/operators.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/ratio.hpp>
#include <nvdlac/quant/real_form.hpp>

namespace nvdlac::quant {

// Whether the slopes of PReLU n become a part of the convolution or fully connected layer before
// it: nothing else reads that, and it ends without ReLU. It then takes the scale of the PReLU, as
// its numbers are not cut to int8 in between.
template <class Graph>
bool joins_convolution(const Graph& g, typename Graph::id n) {
  if (!std::holds_alternative<net::prelu>(g[n].op)) return false;
  const auto from = g.inputs(n)[0];
  if (g[from].output || g.consumers(from).size() != 1) return false;
  if (const auto* c = std::get_if<net::convolution>(&g[from].op)) return !c->relu;
  if (const auto* f = std::get_if<net::fully_connected>(&g[from].op)) return !f->relu;
  return false;
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
inline net::integer::prelu quantise_prelu(std::span<const float> slope, double in_scale,
                                          double out_scale) {
  auto shared = share_slopes(slope);
  return {.multiplier = 1 << 14,
          .slope = std::move(shared.values),
          .shift = shared.shift,
          .out = nearest_converter(std::ldexp(in_scale / out_scale, -14))};
}

inline net::integer::prelu real_prelu(std::span<const float> slope) {
  return {.multiplier = hw::one(hw::precision::fp16), .slope = half_bits_of(slope, "slope")};
}

// X1 leaves up to 8 bits behind the point for the slopes of X2; the output converter rounds.
inline void join_prelu(net::integer::convolution& op, std::span<const float> slope) {
  auto shared = share_slopes(slope);
  op.slope = std::move(shared.values);
  op.slope_shift = shared.shift;
  op.out_shift = std::min<std::uint8_t>(op.shift, 8);
  op.shift = static_cast<std::uint8_t>(op.shift - op.out_shift);
}

// The best int8 value for each input. Where the function has none the table has 0.
inline net::integer::lookup quantise_activation(const net::activation& op, double in_scale,
                                                double out_scale) {
  net::integer::lookup result;
  for (int x = -128; x <= 127; ++x) {
    const double y = op(x * in_scale) / out_scale;
    result.values.push_back(static_cast<std::int8_t>(
        std::isnan(y) ? 0.0 : std::clamp(std::round(y), -128.0, 127.0)));
  }
  return result;
}

// The bounds in steps of the output: rounding commutes with clipping.
struct integer_bounds {
  std::int16_t low = net::integer::no_low, high = net::integer::no_high;

  bool none() const { return low == net::integer::no_low && high == net::integer::no_high; }
};
inline integer_bounds bounds_of(const net::clip& op, double out_scale,
                                hw::precision p = hw::precision::int8) {
  const double low = static_cast<double>(op.low), high = static_cast<double>(op.high);
  integer_bounds result;
  if (p == hw::precision::fp16) {  // nothing is beyond its range
    if (low > -65504) result.low = low == 0 ? std::int16_t{0} : half_bits(low, "bound");
    if (high < 65504) result.high = high == 0 ? std::int16_t{0} : half_bits(high, "bound");
    return result;
  }
  const double top = top_of(p);
  const auto step = [&](double bound) {
    return static_cast<std::int16_t>(std::clamp(std::round(bound / out_scale), -top - 1, top));
  };
  if (step(low) > -top - 1) result.low = step(low);
  if (step(high) < top) result.high = step(high);
  return result;
}

inline net::integer::clip quantise_clip(integer_bounds bounds, double in_scale, double out_scale) {
  net::integer::clip result{.low = bounds.low, .high = bounds.high};
  const double ratio = in_scale / out_scale;
  if (std::fabs(ratio - 1) < 1e-9) return result;  // but for its rounding
  const auto c = nearest_converter(ratio);
  result.multiplier = c.scale;
  result.shift = c.shift;
  return result;
}

// Makes what can be of the bounds a part of the operator whose tensor is clipped; what is left.
template <class Op>
integer_bounds join_bounds(Op& op, integer_bounds bounds) {
  if constexpr (requires { op.relu; }) {
    bool in_order = true;  // the converter behind ReLU does not turn the sign
    if constexpr (requires { op.out.scale; }) in_order = op.out.scale >= 0;
    if (bounds.low == 0 && in_order) {
      op.relu = true;
      bounds.low = net::integer::no_low;
    } else if (bounds.low < 0 && op.relu) {
      bounds.low = net::integer::no_low;
    }
  }
  if constexpr (requires { op.low, op.high, op.slope; }) {
    const integer_bounds none, own{op.low, op.high};
    const bool free = op.slope.empty() && own.none();
    if (free && bounds.low == none.low) op.high = std::exchange(bounds.high, none.high);
    else if (free && bounds.high == none.high) op.low = std::exchange(bounds.low, none.low);
  }
  return bounds;
}

}  // namespace nvdlac::quant
