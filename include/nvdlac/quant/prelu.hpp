// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer forms of PReLU, alone and behind a convolution.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/net/activation.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>

namespace nvdlac::quant {

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
shared_slopes share_slopes(std::span<const float> slope);

// 14 bits behind the point, so that only the output converter rounds visibly.
quantised::prelu quantise_prelu(std::span<const float> slope, double in_scale, double out_scale);

quantised::prelu real_prelu(std::span<const float> slope);

// X1 leaves up to 8 bits behind the point for the slopes of X2; the output converter rounds.
// `zero` is what stands for 0 behind it.
void join_prelu(quantised::convolution& op, std::span<const float> slope, std::int32_t zero = 0);

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
                              : quantise_prelu(op.slope, to.in(0).scale, to.scale()),
                    to.in(0).gain);
    auto& node = to.integers()[to.in(0).node];
    auto& before = std::get<quantised::convolution>(node.op);
    if (to.real()) before.slope = half_bits_of(op.slope, "slope");
    else join_prelu(before, op.slope, to.zero());
    to.forward(1);
    node.zero = to.placed().zero = to.zero();
  }
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/prelu.ipp>
#endif
