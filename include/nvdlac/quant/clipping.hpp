// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer forms of ReLU and of clipping.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

// The bounds in steps of the output, from the integer for 0 on: rounding commutes with clipping.
struct integer_bounds {
  std::int16_t low = quantised::no_low, high = quantised::no_high;

  bool none() const { return low == quantised::no_low && high == quantised::no_high; }
};
integer_bounds bounds_of(const net::clip& op, double out_scale,
                         hw::precision p = hw::precision::int8, std::int32_t zero = 0);

quantised::clip quantise_clip(integer_bounds bounds, double in_scale, double out_scale);

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
  if constexpr (requires { op.low; op.high; op.slope; }) {
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
    to.put(to.same(to.precision(), true), to.in(0).gain);
  }
};

template <>
struct rule<net::clip> : usual_rule {
  static constexpr bool clips = true;
  static std::optional<double> inherent_scale(const net::clip& op) {
    const double range = std::max(std::fabs(double{op.low}), std::fabs(double{op.high}));
    return range > 0 && std::isfinite(range) ? std::optional(scale_of_range(range)) : std::nullopt;
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

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/clipping.ipp>
#endif
