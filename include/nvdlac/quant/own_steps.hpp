// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors that have steps of a size of their own in each channel: the weights that read them take
// up the factors between them. Outputs have one size, for whoever reads them by their scale alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>
#include <vector>

#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/filters.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

// Whether all that reads n takes steps of its channels' own: filters, and what keeps the channels
// apart between n and such.
template <class Graph>
bool may_have_own_steps(const Graph& g, typename Graph::id n, const net::layer_precisions& p) {
  const auto precision = p(g[n].name);
  const auto readers = g.consumers(n);
  if (precision == hw::precision::fp16 || readers.empty() || g[n].output) return false;
  return std::ranges::all_of(readers, [&](auto r) {
    const auto& op = g[r].op;
    if (p(g[r].name) != precision) return false;
    if (net::has_filters(op))
      return g.inputs(r)[0] == n && std::ranges::count(g.inputs(r), n) == 1 &&
             !std::holds_alternative<net::deconvolution>(op);
    const bool keeps = std::holds_alternative<net::relu>(op) ||
                       std::holds_alternative<net::identity>(op) ||
                       (std::holds_alternative<net::pool>(op) && shared_factor(g, r, precision));
    return keeps && may_have_own_steps(g, r, p);
  });
}

namespace detail {

// The part of the noise in the sums of the filters behind n that comes of its steps and of the
// rounding of weights, beside their signal, where `range` and `step` are those of each channel.
template <class Graph>
double noise_behind(const Graph& g, typename Graph::id n, const std::vector<double>& range,
                    const std::vector<double>& step) {
  constexpr double usual = 1.0 / 3;  // of a range
  const auto square = [](double x) { return x * x; };
  double noise = 0;
  for (const auto r : g.consumers(n)) {
    if (!net::has_filters(g[r].op)) {
      noise += noise_behind(g, r, range, step);
      continue;
    }
    struct sums {
      double signal = 0, steps = 0, largest = 0, numbers = 0;
    };
    std::vector<sums> kernels(static_cast<std::size_t>(g[r].shape.c));
    nvdlac::visit([&]<class Op>(const Op& op) {
      if constexpr (requires { op.weights; })
        each_weight(g[r].op, range.size(), [&](std::size_t i, std::size_t c, std::size_t k) {
          const double w{op.weights[i]};
          kernels[k].signal += square(w * range[c] * usual);
          kernels[k].steps += square(w * step[c]) / 12;
          kernels[k].largest = std::max(kernels[k].largest, std::fabs(w) * step[c]);
          kernels[k].numbers += square(range[c] * usual / step[c]);
        });
    }, g[r].op);
    for (const auto& k : kernels)
      if (k.signal > 0)
        noise += (k.steps + square(k.largest / 127) / 12 * k.numbers) / k.signal;
  }
  return noise;
}

}  // namespace detail

// Whether the inputs of the concat n, which has steps of the size `shared`, keep theirs, `own`:
// where less noise is in the filters behind it by that.
template <class Graph>
bool keeps_own_steps(const Graph& g, typename Graph::id n, const net::layer_precisions& p,
                     const std::vector<double>& own, double shared) {
  constexpr double gain = 0.8;  // 1 dB; less is not worth another program
  const auto inputs = g.inputs(n);
  const bool same = std::ranges::all_of(
      own, [&](double s) { return std::fabs(s / own[0] - 1) < 1e-9 && s > 0; });
  const bool precise = std::ranges::all_of(
      inputs, [&](auto i) { return p(g[i].name) == p(g[n].name); });
  if (same || !precise || !may_have_own_steps(g, n, p)) return false;
  std::vector<double> range, step;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::int32_t c = 0; c < g[inputs[i]].shape.c; ++c) {
      range.push_back(range_of_scale(own[i]));
      step.push_back(own[i]);
    }
  const std::vector<double> common(step.size(), shared);
  return detail::noise_behind(g, n, range, step) <
         gain * detail::noise_behind(g, n, range, common);
}

}  // namespace nvdlac::quant
