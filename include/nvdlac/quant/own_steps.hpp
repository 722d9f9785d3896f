// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors that have steps of a size of their own in each channel: the weights that read them take
// up the factors between them. Outputs have one size, for whoever reads them by their scale alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/filters.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

namespace detail {

// Whether r reads n, once, by filters that take steps of its channels' own.
template <class Graph>
bool has_filters_for(const Graph& g, typename Graph::id r, typename Graph::id n) {
  return net::has_filters(g[r].op) && g.inputs(r)[0] == n &&
         std::ranges::count(g.inputs(r), n) == 1 &&
         !std::holds_alternative<net::deconvolution>(g[r].op);
}

}  // namespace detail

// Whether n gives each channel of what it reads in steps of the same size as that has, or of one
// that is larger by a factor for all: maxima and averages, slopes of at most 1, concats and moves.
template <class Graph>
bool keeps_steps(const Graph& g, typename Graph::id n) {
  const auto& op = g[n].op;
  if (const auto* slopes = std::get_if<net::prelu>(&op))
    return std::ranges::all_of(slopes->slope, [](float s) { return std::fabs(s) <= 1; });
  return std::holds_alternative<net::relu>(op) || std::holds_alternative<net::identity>(op) ||
         std::holds_alternative<net::pool>(op) || std::holds_alternative<net::concat>(op) ||
         detail::moved_channels(g, n).has_value();
}

// Whether all that reads n takes steps of its channels' own, which `by` gives them: filters, and
// what keeps the channels apart between n and such. Of an input these may be scalings, whose
// factors take them up, and of filters all that keeps steps.
template <class Graph>
bool may_have_own_steps(const Graph& g, typename Graph::id n, const net::layer_precisions& p,
                        step_source by = step_source::concat) {
  const auto precision = p(g[n].name);
  const auto readers = g.consumers(n);
  if (precision == hw::precision::fp16 || readers.empty() || g[n].output) return false;
  return std::ranges::all_of(readers, [&](auto r) {
    const auto& op = g[r].op;
    if (p(g[r].name) != precision) return false;
    if (net::has_filters(op)) return detail::has_filters_for(g, r, n);
    const auto* scale = std::get_if<net::scale>(&op);
    const bool scaled = by == step_source::input && scale != nullptr;
    if (scaled && !free_factor(*scale)) return true;
    const bool keeps = by == step_source::filters
                           ? keeps_steps(g, r)
                           : std::holds_alternative<net::relu>(op) ||
                                 std::holds_alternative<net::identity>(op) || scaled ||
                                 (std::holds_alternative<net::pool>(op) &&
                                  shared_factor(g, r, precision));
    return keeps && may_have_own_steps(g, r, p, by);
  });
}

// Whether n is a scaling of channels that filters alone read, of its precision, which can take it
// up: windows that meet padding would meet what it adds there as well.
template <class Graph>
bool may_scale_filters(const Graph& g, typename Graph::id n, const net::layer_precisions& p) {
  const auto* s = std::get_if<net::scale>(&g[n].op);
  const auto precision = p(g[n].name);
  const auto readers = g.consumers(n);
  if (s == nullptr || s->relu || g[n].output || readers.empty() ||
      precision == hw::precision::fp16 ||
      !std::ranges::all_of(s->factor, [](float f) { return std::isnormal(f); }))
    return false;
  const bool adds = std::ranges::any_of(s->bias, [](float b) { return b != 0; });
  return std::ranges::all_of(readers, [&](auto r) {
    const auto* c = std::get_if<net::convolution>(&g[r].op);
    const bool padded = c != nullptr && (c->window.pad_top != 0 || c->window.pad_left != 0 ||
                                         c->window.pad_bottom != 0 || c->window.pad_right != 0);
    return p(g[r].name) == precision && detail::has_filters_for(g, r, n) && !(adds && padded);
  });
}

namespace detail {

// Parts of the noise in the sums of filters beside their signal: what comes of the steps of their
// input, and of the rounding of weights, summed over so many kernels.
struct filter_noise {
  double of_steps = 0, of_weights = 0;
  std::size_t kernels = 0;
};

// The numbers of the channels of n, for those of r, which reads it; `other` for other tensors'.
template <class Graph>
std::vector<double> behind(const Graph& g, typename Graph::id n, typename Graph::id r,
                           const std::vector<double>& of_channels, double other) {
  if (const auto from = moved_channels(g, r)) {
    std::vector<double> moved;
    for (const auto c : *from) moved.push_back(of_channels[c]);
    return moved;
  }
  if (!std::holds_alternative<net::concat>(g[r].op)) return of_channels;
  std::vector<double> all;
  for (const auto i : g.inputs(r))
    if (i == n) all.insert(all.end(), of_channels.begin(), of_channels.end());
    else all.resize(all.size() + static_cast<std::size_t>(g[i].shape.c), other);
  return all;
}

// The noise in the sums of the filters behind n, where `range` and `step` are those of each
// channel, beside what these channels alone give.
template <class Graph>
filter_noise noise_behind(const Graph& g, typename Graph::id n, const std::vector<double>& range,
                          const std::vector<double>& step) {
  constexpr double no_range = 0, no_step = 1e-30;
  constexpr double usual = 1.0 / 3;  // of a range
  const auto square = [](double x) { return x * x; };
  filter_noise noise;
  for (const auto r : g.consumers(n)) {
    if (!net::has_filters(g[r].op)) {
      const auto further = noise_behind(g, r, behind(g, n, r, range, no_range),
                                        behind(g, n, r, step, no_step));
      noise.of_steps += further.of_steps;
      noise.of_weights += further.of_weights;
      noise.kernels += further.kernels;
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
      if (k.signal > 0) {
        ++noise.kernels;
        noise.of_steps += k.steps / k.signal;
        noise.of_weights += square(k.largest / 127) / 12 * k.numbers / k.signal;
      }
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
  const auto noise = [&](const std::vector<double>& steps) {
    const auto found = detail::noise_behind(g, n, range, steps);
    return found.of_steps + found.of_weights;
  };
  return noise(step) < gain * noise(common);
}

// Whether the filters of n, whose channels reach so far of the tensor's `range`, give each channel
// steps of its own: where the filters that read them lose much by one size for all, 15 dB of int8
// and 50 of int16, and gain 3 dB by it. Others are left as they are.
template <class Graph>
bool give_own_steps(const Graph& g, typename Graph::id n, const std::vector<double>& reach,
                    double range) {
  constexpr double most = 0.03, gain = 0.5;  // of the signal, and of the noise
  if (reach.empty()) return false;
  const double shared = scale_of_range(range);
  auto own = gains_of(reach, range);
  for (double& step : own) step *= shared;
  const auto before = detail::noise_behind(g, n, reach, std::vector(own.size(), shared));
  if (!(before.of_steps > most * static_cast<double>(before.kernels))) return false;
  const auto after = detail::noise_behind(g, n, reach, own);
  return after.of_steps + after.of_weights < gain * (before.of_steps + before.of_weights);
}

// Whether n has filters whose results filters alone read, of any precision.
template <class Graph>
bool may_give_own_steps(const Graph& g, typename Graph::id n) {
  return net::has_filters(g[n].op) && g.inputs(n).size() == 1 &&
         may_have_own_steps(g, n, {}, step_source::filters);
}

// The filters whose channels n gives, one by one, through what keeps steps; or what ends the way.
template <class Graph>
typename Graph::id filters_above(const Graph& g, typename Graph::id n) {
  while (!net::has_filters(g[n].op) && g.inputs(n).size() == 1 && keeps_steps(g, n) &&
         !detail::moved_channels(g, n))
    n = g.inputs(n)[0];
  return n;
}

// Whether n averages channels, at a scale of its own, to which filters may give steps of their own.
template <class Graph>
bool averages_own_steps(const Graph& g, typename Graph::id n) {
  const auto* pool = std::get_if<net::pool>(&g[n].op);
  return pool != nullptr && pool->kind == net::pool_kind::average && !shared_factor(g, n) &&
         may_give_own_steps(g, filters_above(g, n));
}

// Whether the channels of each tensor have steps of their own that filters gave them, for which the
// table tells how far they reach, or that they keep behind such.
template <class Graph>
std::vector<bool> own_steps_of_filters(const Graph& g, const scale_table& table,
                                       const net::layer_precisions& p) {
  std::set<std::string> reaching;
  for (const auto& e : table.entries)
    if (!e.reach.empty()) reaching.insert(e.layer);
  std::vector<bool> own(g.size(), false);
  for (const auto n : g.order()) {
    const auto inputs = g.inputs(n);
    const bool keeps = std::ranges::any_of(inputs, [&](auto i) { return bool{own[i]}; }) &&
                       keeps_steps(g, n);
    own[n] = keeps || (reaching.contains(g[n].name) && may_give_own_steps(g, n) &&
                       may_have_own_steps(g, n, p, step_source::filters));
  }
  return own;
}

// Whether the filters behind the scaling n lose little more by taking it up than by reading what a
// layer of its own rounds to steps of the size `shared`: channels reach to `range`, or less, and
// the steps before the scaling are worth `step` behind it.
template <class Graph>
bool lose_little_by_scaling(const Graph& g, typename Graph::id n, double range,
                            const std::vector<double>& step, double shared) {
  constexpr double most = 4.0 / 3;  // 1.2 dB, for a layer less
  std::vector<double> ranges, lost;  // no more is lost of a channel than all of it
  for (const double s : step) {
    ranges.push_back(std::min(range, range_of_scale(s)));
    lost.push_back(std::min(s, ranges.back()));
  }
  const double before = detail::noise_behind(g, n, ranges, lost).of_steps;
  const auto apart = detail::noise_behind(g, n, ranges, std::vector(step.size(), shared));
  return before + detail::noise_behind(g, n, ranges, step).of_weights <=
         most * (before + apart.of_steps + apart.of_weights);
}

}  // namespace nvdlac::quant
