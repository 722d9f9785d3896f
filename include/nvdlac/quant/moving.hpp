// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer forms of what only moves elements.
#include <utility>
#include <span>
#include <optional>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include <nvdlac/net/reshaping.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

inline bool same_scale(double a, double b) { return std::fabs(a / b - 1) < 1e-9; }

// `in_zero` and `out_zero` stand for 0 before and behind.
quantised::scale rescaling(double in_scale, double out_scale, double top = 127,
                           std::int32_t in_zero = 0, std::int32_t out_zero = 0);

// The magnitude of what a move puts where no input is, as far as a scale has to hold it: numbers
// that only stand for infinity may saturate.
double filled_with(const net::move& op);

// `zero`: the integer that stands for 0.
quantised::move quantise_move(const net::move& op, double scale,
                              hw::precision p = hw::precision::int8, std::int32_t zero = 0);

quantised::move reshaping(net::shape in, net::shape out);

namespace detail {

// The channel of its one input that each channel of a move comes from; nothing: not all elements
// of a channel come from one, or some are filled with values.
template <class Graph>
std::optional<std::vector<std::size_t>> moved_channels(const Graph& g, typename Graph::id n) {
  const auto* m = std::get_if<net::move>(&g[n].op);
  if (m == nullptr || g.inputs(n).size() != 1) return std::nullopt;
  const auto in = g[g.inputs(n)[0]].shape;
  std::vector<std::optional<std::size_t>> from(static_cast<std::size_t>(g[n].shape.c));
  bool whole = true;
  const bool moves = net::each_moved(g[n].op, std::array{in}, g[n].shape,
                                     [&](std::size_t, std::size_t channel, std::size_t to) {
                                       whole = whole && from[to].value_or(channel) == channel;
                                       from[to] = channel;
                                     });
  if (!moves || !whole) return std::nullopt;
  std::vector<std::size_t> result;
  for (const auto& f : from) result.push_back(f.value_or(0));  // of zeros
  return result;
}

}  // namespace detail

template <>
struct rule<net::concat> : usual_rule {
  static bool joins(const net::concat&, const reading&) { return true; }
  static bool keeps_zero(const net::concat&) { return true; }
  static std::optional<double> bound(const net::concat&, std::span<const double> in) {
    return std::ranges::max(in);
  }
  static void run(const net::concat&, auto& to) {
    std::vector<double> scales;
    std::vector<std::int8_t> zeros;
    std::vector<double> gain;
    const bool own = to.has_own_steps();
    if (own || std::ranges::any_of(to.in(), [](const auto& i) { return !i.gain.empty(); }))
      for (auto& i : to.in()) {
        const double by = own ? i.scale / to.scale() : 1;
        for (std::size_t c = 0; std::cmp_less(c, to.shape_of(i).c); ++c)
          gain.push_back(i.gain.empty() ? by : i.gain[c] * by);
        if (own) i.scale = to.scale();  // their numbers stay
      }
    for (const auto& i : to.in()) {
      scales.push_back(i.scale);
      zeros.push_back(static_cast<std::int8_t>(i.zero));
    }
    to.put(quantise_concat(scales, to.scale(), to.top(), static_cast<std::int8_t>(to.zero()),
                           std::move(zeros)),
           std::move(gain));
  }
};

template <>
struct rule<net::identity> : sharing_rule {
  static bool keeps_zero(const net::identity&) { return true; }
  static void run(const net::identity&, auto& to) { to.forward(1); }
};

// The rule of a reshape, whose result has the shape that the network says.
template <class Op>
struct reshape_rule : sharing_rule {
  static bool keeps_zero(const Op&) { return true; }
  static void run(const Op&, auto& to) {
    if (to.skipped()) return to.forward(1);
    const net::shape in = to.shape_of(to.in(0));
    if (net::is_read_on(to.from(), to.node()) && net::moves_data(in, to.shape()))
      return to.put(reshaping(in, to.shape()));
    to.put(quantised::reshape{.target = to.shape()});
  }
};
template <> struct rule<net::reshape> : reshape_rule<net::reshape> {};
template <> struct rule<net::flatten> : reshape_rule<net::flatten> {};

// All inputs at the scale of the result, which moves do not change unless it is too fine for what
// they are filled with, or leaves that too few steps.
template <>
struct rule<net::move> : usual_rule {
  static std::optional<double> shared_factor(const net::move& op, const reading& r) {
    return r.inputs == 1 && filled_with(op) == 0 ? std::optional(1.0) : std::nullopt;
  }
  static bool joins(const net::move&, const reading& r) { return r.inputs > 1; }
  static bool keeps_zero(const net::move& op) { return op.fill >= 0; }
  static std::optional<double> bound(const net::move& op, std::span<const double> in) {
    return std::max(std::ranges::max(in), filled_with(op));
  }
  static bool has_own_range(const net::move& op) { return filled_with(op) > 0; }
  static std::optional<double> settled_scale(const net::move& op, const reading& r, double in_scale,
                                             double own) {
    const double needed = scale_of_range(filled_with(op));
    if (needed == 0) return std::nullopt;
    const double least = std::max(own, needed);
    return r.inputs == 1 && needed <= in_scale && in_scale <= 2 * least ? in_scale : least;
  }
  static void run(const net::move& op, auto& to) {
    for (auto& i : to.in())
      if (!same_scale(i.scale, to.scale()) || i.zero != to.zero()) {
        i.node = to.emit(to.unused_name(to.name() + "/input"),
                         rescaling(i.scale, to.scale(), to.top(), i.zero, to.zero()), {i.node},
                         to.scale(), to.shape_of(i));
        to.integers()[i.node].zero = to.zero();
        to.integers()[i.node].gain = i.gain;
      }
    std::vector<double> gain;
    if (!to.in(0).gain.empty())
      if (const auto from = detail::moved_channels(to.from(), to.node()))
        for (const auto c : *from) gain.push_back(to.in(0).gain[c]);
    to.put(quantise_move(op, to.scale(), to.precision(), to.zero()), std::move(gain));
  }
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/moving.ipp>
#endif
