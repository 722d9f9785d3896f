// SPDX-License-Identifier: Apache-2.0
#pragma once
// Channels of a tensor are brought nearer to one range: the filters before them multiply each by a
// factor of its own, those behind them divide by it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::quant {

// What calibration samples show of the tensors whose channels can have factors, and the factors.
template <class Graph>
class equaliser {
 public:
  using id = typename Graph::id;

  explicit equaliser(const Graph& g) : g_(g) {
    for (const id n : g.order()) {
      const auto* c = std::get_if<net::convolution>(&g[n].op);
      if (c == nullptr || g.inputs(n).size() != 1 || g[n].output) continue;
      if (const id last = end_of(n); only_filters_read(last)) seen_[last].filters = n;
    }
  }

  bool empty() const { return seen_.empty(); }
  // The tensor of n for one sample.
  void observe(id n, const net::float_tensor& t) {
    const auto found = seen_.find(n);
    if (found == seen_.end()) return;
    auto& [_, most, squares, count] = found->second;
    const auto channels = static_cast<std::size_t>(t.shape.c), area = t.values.size() / channels;
    most.resize(channels), squares.resize(channels);
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = c * area; i < (c + 1) * area; ++i) {
        const double x{t.values[i]};
        most[c] = std::max(most[c], std::fabs(x));
        squares[c] += x * x;
      }
    count += area;
  }

  // Changes the weights of `g`, which is the graph that was looked at or a copy.
  void run(Graph& g) const {
    for (const auto& [n, seen] : seen_) {
      if (seen.count == 0) continue;
      const auto factors = factors_of(g, n, seen);
      auto& before = std::get<net::convolution>(g[seen.filters].op);
      const std::size_t taps = before.weights.size() / factors.size();
      for (std::size_t i = 0; i < before.weights.size(); ++i)
        before.weights[i] = static_cast<float>(double{before.weights[i]} * factors[i / taps]);
      for (std::size_t k = 0; k < before.bias.size(); ++k)
        before.bias[k] = static_cast<float>(double{before.bias[k]} * factors[k]);
      for (const id r : g.consumers(n))
        each_weight(g[r].op, factors.size(), [&](float& w, std::size_t channel, std::size_t) {
          w = static_cast<float>(double{w} / factors[channel]);
        });
    }
  }

 private:
  struct seen_tensor {
    id filters{};  // that give it
    std::vector<double> most{}, squares{};  // by channel
    std::size_t count = 0;                  // of its values
  };
  // Channels that a clipping bounds keep so much of their range for values that were not seen.
  static constexpr double margin = 1.5;
  // The part of the noise of weights rounded to the nearest that is left of it in the end.
  static constexpr double left_of_rounding = 0.1;

  // Behind what only bends or clips the values at 0, or clips them from 0 on.
  id end_of(id n) const {
    const auto readers = g_.consumers(n);
    if (readers.size() != 1 || g_[readers[0]].output) return n;
    const auto& op = g_[readers[0]].op;
    const auto* clip = std::get_if<net::clip>(&op);
    const bool from_zero = clip != nullptr && clip->low == 0 && clip->high > 0 &&
                           std::isfinite(clip->high);
    return from_zero || std::holds_alternative<net::relu>(op) ||
                   std::holds_alternative<net::prelu>(op)
               ? readers[0] : n;
  }
  bool only_filters_read(id n) const {
    const auto readers = g_.consumers(n);
    return !readers.empty() && std::ranges::all_of(readers, [&](id r) {
      const auto in = g_.inputs(r);
      return (std::holds_alternative<net::convolution>(g_[r].op) &&
              (in.size() == 1 || in[1] != n)) ||
             std::holds_alternative<net::fully_connected>(g_[r].op);
    });
  }
  // f(weight, channel that it reads, kernel) for the filters of op, of `channels` channels.
  template <class AnyOperator, class F>
  static void each_weight(AnyOperator& op, std::size_t channels, const F& f) {
    const auto walk = [&](auto& weights, std::size_t kernels, std::size_t groups) {
      const std::size_t taps = weights.size() / kernels, of_group = channels / groups;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::size_t k = i / taps;
        f(weights[i], k / (kernels / groups) * of_group + i % taps / (taps / of_group), k);
      }
    };
    if (auto* c = std::get_if<net::convolution>(&op))
      walk(c->weights, static_cast<std::size_t>(c->kernels), static_cast<std::size_t>(c->groups));
    else if (auto* fc = std::get_if<net::fully_connected>(&op))
      walk(fc->weights, static_cast<std::size_t>(fc->outputs), 1);
  }

  // A larger factor makes the steps of a channel finer, and those of the weights that read it
  // coarser beside their values. Each channel has the factor with which the noise of both is least,
  // as far as its range goes; a filter that reads one channel alone has weights as fine as ever.
  static std::vector<double> factors_of(const Graph& g, id n, const seen_tensor& seen) {
    constexpr int rounds = 8;
    const std::size_t channels = seen.most.size();
    const auto* clip = std::get_if<net::clip>(&g[n].op);
    const double range = clip != nullptr ? double{clip->high} / margin
                                         : *std::ranges::max_element(seen.most);
    std::vector<double> factors(channels, 1);
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> gains(channels), costs(channels);
      for (const id r : g.consumers(n)) add_noise(g[r].op, factors, gains, costs);
      for (std::size_t c = 0; c < channels; ++c) {
        const double limit = seen.most[c] > 0 ? std::max(1.0, range / seen.most[c]) : 1;
        const double step = range / 255;
        const double cost =
            left_of_rounding * costs[c] * seen.squares[c] / static_cast<double>(seen.count);
        const double best =
            cost > 0 ? std::sqrt(std::sqrt(step * step * gains[c] / cost)) : limit;
        factors[c] = std::clamp(best, 1.0, limit);
      }
    }
    return factors;
  }
  // What the noise of each channel becomes behind op, and that of the weights that read it.
  template <class AnyOperator>
  static void add_noise(const AnyOperator& op, const std::vector<double>& factors,
                        std::vector<double>& gains, std::vector<double>& costs) {
    const std::size_t channels = factors.size();
    std::map<std::size_t, std::pair<double, std::size_t>> largest;  // and the channel, by kernel
    std::map<std::size_t, bool> shared;
    each_weight(op, channels, [&](float w, std::size_t channel, std::size_t k) {
      auto& [most, first] = largest.try_emplace(k, 0, channel).first->second;
      most = std::max(most, std::fabs(double{w}) / factors[channel]);
      shared[k] = shared[k] || channel != first;
    });
    each_weight(op, channels, [&](float w, std::size_t channel, std::size_t k) {
      const double step = shared[k] ? largest[k].first / 127 : 0;
      gains[channel] += double{w} * w;
      costs[channel] += step * step;
    });
  }

  const Graph& g_;
  std::map<id, seen_tensor> seen_{};  // by the node whose tensor it is
};

}  // namespace nvdlac::quant
