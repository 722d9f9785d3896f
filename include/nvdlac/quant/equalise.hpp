// SPDX-License-Identifier: Apache-2.0
#pragma once
// Channels get factors and offsets of their own: the filters that give a channel have them, those
// that read it take them back, and what stands between, such as concats, takes them along.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/channel_noise.hpp>
#include <nvdlac/quant/filters.hpp>
#include <nvdlac/quant/rules.hpp>

namespace nvdlac::quant {

namespace detail {

// Sets of numbers that are united; each is known by the least of them.
class united_sets {
 public:
  explicit united_sets(std::size_t n) : above_(n) {
    std::iota(above_.begin(), above_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i);
  void unite(std::size_t a, std::size_t b);

 private:
  std::vector<std::size_t> above_;
};

}  // namespace detail

// Factors of the channels of layers in int8 and int16, by measurements on calibration samples;
// only the noise of int8 counts.
template <class Graph>
class equaliser {
 public:
  using id = typename Graph::id;

  explicit equaliser(const Graph& g, const net::layer_precisions& p = {})
      : g_(g), first_(g.size()), scales_(g.size()) {
    std::size_t channels = 0;
    for (id n = 0; n < g.size(); ++n) {
      first_[n] = channels;
      channels += count(n);
      is_int8_.push_back(p(g[n].name) == hw::precision::int8);
    }
    seen_.resize(channels);
    std::vector<bool> fixed(channels, false), unmoved(channels, false);
    detail::united_sets sets(channels);
    const auto mark = [&](std::vector<bool>& as, id n) {
      std::fill_n(as.begin() + static_cast<std::ptrdiff_t>(first_[n]), count(n), true);
    };
    for (const id n : g.order()) {
      const bool taken = each_taken(n, [&](std::size_t from, std::size_t to, double) {
        sets.unite(from, to);
      });
      const bool as_they_are = !taken || p(g[n].name) == hw::precision::fp16;
      if (as_they_are || g[n].output) mark(fixed, n);
      if (as_they_are) for (const id i : g.inputs(n)) mark(fixed, i);
      if (cuts_offsets(n)) mark(unmoved, n);
      if (pads(n)) mark(unmoved, g.inputs(n)[0]);
      share_scale(n);
    }
    std::vector<bool> is_free(channels, true);
    movable_.assign(channels, true);
    for (std::size_t i = 0; i < channels; ++i) {
      if (fixed[i]) is_free[sets.find(i)] = false;
      if (unmoved[i]) movable_[sets.find(i)] = false;
    }
    for (std::size_t i = 0; i < channels; ++i) {
      const bool free = is_free[sets.find(i)];
      class_of_.push_back(free ? sets.find(i) : channel_noise::no_class);
      empty_ = empty_ && !free;
    }
  }

  bool empty() const { return empty_; }
  // The tensor of n for one sample.
  void observe(id n, const net::float_tensor& t) {
    const auto* clip = std::get_if<net::clip>(&g_[n].op);
    const float bound = clip != nullptr ? clip->high : std::numeric_limits<float>::infinity();
    for (std::size_t c = 0; c < count(n); ++c) {
      auto& s = seen_[first_[n] + c];
      for (std::size_t i = c * area(n); i < (c + 1) * area(n); ++i) {
        const double x{t.values[i]};
        s.low = s.count > 0 ? std::min(s.low, x) : x;
        s.high = s.count > 0 ? std::max(s.high, x) : x;
        s.sum += x;
        s.squares += x * x;
        s.count += 1;
        if (x != 0 && t.values[i] != bound) s.live += 1;
      }
    }
  }

  // Finds the factors and offsets of least noise.
  void settle(std::size_t threads) {
    if (empty_ || std::ranges::all_of(seen_, [](const auto& s) { return s.count == 0; })) return;
    offsets_.assign(seen_.size(), 0);
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (const auto of = class_of_[i]; of != channel_noise::no_class && movable_[of])
        offsets_[of] = -(seen_[i].low + seen_[i].high) / 2;
    find_gains();
    factors_ = factors_of_least_noise(threads);
  }
  // Changes the weights and biases of `g`, a copy of the graph that was looked at, by the factors
  // to the power of `part`.
  void run(Graph& g, double part = 1) const {
    if (factors_.empty()) return;
    for (id n = 0; n < g.size(); ++n)
      nvdlac::visit([&]<class Op>(Op& op) {
        if constexpr (std::is_same_v<Op, net::convolution> ||
                      std::is_same_v<Op, net::fully_connected>)
          change(n, part, op.weights, op.bias);
      }, g[n].op);
  }

 private:
  // Channels that a clipping bounds keep so much of their range for values that were not seen.
  static constexpr double margin = 1.5;
  // The part of the noise of weights rounded to the nearest that is left of it in the end.
  static constexpr double left_of_rounding = 0.3;
  // A channel counts as if it reached at least this part of its tensor's range.
  static constexpr double least_range = 0.1;

  struct seen_channel {
    double low = 0, high = 0, sum = 0, squares = 0, count = 0;
    double live = 0;  // neither 0 nor at the bound of a clipping

    double variance() const {
      return count > 0 ? squares / count - sum / count * (sum / count) : 0;
    }
  };

  std::size_t count(id n) const { return static_cast<std::size_t>(g_[n].shape.c); }
  std::size_t area(id n) const { return net::shape{1, g_[n].shape.h, g_[n].shape.w}.size(); }
  // Operators that only bend or clip the values at 0, or clip them from 0 on.
  bool bends_at_zero(id n) const {
    const auto& op = g_[n].op;
    const auto* clip = std::get_if<net::clip>(&op);
    return (clip != nullptr && clip->low == 0 && clip->high > 0 && std::isfinite(clip->high)) ||
           std::holds_alternative<net::relu>(op) || std::holds_alternative<net::prelu>(op);
  }
  // f(channel that n reads, channel that it gives, by) for channels that keep their factor, where
  // noise of variance 1 becomes one of variance `by`; whether n is such a layer, or has filters.
  template <class F>
  bool each_taken(id n, const F& f) const {
    const auto& op = g_[n].op;
    const auto inputs = g_.inputs(n);
    std::vector<net::shape> shapes;
    for (const id i : inputs) shapes.push_back(g_[i].shape);
    const auto all_of = [&](id in, double by) {
      for (std::size_t c = 0; c < count(n); ++c) f(first_[in] + c, first_[n] + c, by);
      return true;
    };
    if (const auto* c = std::get_if<net::convolution>(&op);
        c != nullptr && c->with_second != net::combination::sum)
      return false;
    if (net::has_filters(op)) return inputs.size() < 2 || all_of(inputs[1], 1);
    if (bends_at_zero(n)) return all_of(inputs[0], 1);
    if (const auto* p = std::get_if<net::pool>(&op)) {
      const auto w = p->window_on(shapes[0]);
      const bool mean = p->kind == net::pool_kind::average;
      return all_of(inputs[0], mean ? 1 / (double{1} * w.kernel_h * w.kernel_w) : 1);
    }
    if (const auto* s = std::get_if<net::add>(&op); s != nullptr && shapes[0] == shapes[1]) {
      for (std::size_t k = 0; k < 2; ++k)
        all_of(inputs[k], std::pow(double{s->coefficients[k]}, 2));
      return true;
    }
    return net::each_moved(op, shapes, g_[n].shape, [&](auto k, auto from, auto to) {
      f(first_[inputs[k]] + from, first_[n] + to, 1 / static_cast<double>(area(n)));
    });
  }
  // Whether n makes something else of values with an offset than the same with one.
  bool cuts_offsets(id n) const {
    return nvdlac::visit([&]<class Op>(const Op& op) {
      if constexpr (std::is_same_v<Op, net::convolution>)
        return op.relu || g_.inputs(n).size() > 1;
      else if constexpr (std::is_same_v<Op, net::fully_connected>) return op.relu;
      else if constexpr (std::is_same_v<Op, net::move>)
        return std::ranges::any_of(op.boxes,
                                   [](const auto& b) { return b.input == net::box::filled; });
      else
        return !(std::is_same_v<Op, net::concat> || std::is_same_v<Op, net::identity> ||
                 std::is_same_v<Op, net::reshape> || std::is_same_v<Op, net::flatten>);
    }, g_[n].op);
  }
  bool pads(id n) const {
    const auto* c = std::get_if<net::convolution>(&g_[n].op);
    if (c == nullptr) return false;
    const auto& w = c->window;
    return w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0;
  }
  // Whether n is a part of the layer before it.
  bool joins_layer(id n) const {
    return bends_at_zero(n) && g_.consumers(g_.inputs(n)[0]).size() == 1;
  }
  // Unites the tensors that have one scale because of n.
  void share_scale(id n) {
    const auto inputs = g_.inputs(n);
    if (!inputs.empty() && (shared_factor(g_, n) || joins_layer(n))) scales_.unite(n, inputs[0]);
    if (!joins(g_, n)) return;
    for (id i : inputs) {
      while (g_.consumers(i).size() == 1 && shared_factor(g_, i)) i = g_.inputs(i)[0];
      if (g_.consumers(i).size() == 1 && requantises(g_, i)) scales_.unite(n, i);
    }
  }

  double offset(std::size_t channel) const {
    const auto of = class_of_[channel];
    return of == channel_noise::no_class ? 0 : offsets_[of];
  }
  // How far a channel reaches with its offset.
  double reach(std::size_t channel) const {
    const auto& s = seen_[channel];
    return std::max(-s.low - offset(channel), s.high + offset(channel));
  }
  // The weights and biases of n, with the factors and offsets of what they read and give.
  void change(id n, double part, std::vector<float>& weights, std::vector<float>& bias) const {
    const auto factor = [&](std::size_t channel) {
      const auto of = class_of_[channel];
      return of == channel_noise::no_class ? 1 : std::exp(part * factors_[of]);
    };
    const auto in = first_[g_.inputs(n)[0]], out = first_[n];
    std::vector<double> added(count(n));
    for (std::size_t k = 0; k < added.size(); ++k) added[k] = offset(out + k);
    const auto channels = count(g_.inputs(n)[0]);
    each_weight(g_[n].op, channels, [&](std::size_t i, std::size_t c, std::size_t k) {
      added[k] -= double{weights[i]} * offset(in + c);
      weights[i] = static_cast<float>(double{weights[i]} * factor(out + k) / factor(in + c));
    });
    if (bias.empty() && std::ranges::any_of(added, [](double a) { return a != 0; }))
      bias.resize(added.size(), 0);
    for (std::size_t k = 0; k < bias.size(); ++k)
      bias[k] = static_cast<float>((double{bias[k]} + added[k]) * factor(out + k));
  }

  // Finds what noise of variance 1 in each channel adds to the energy of the outputs, as a part of
  // that: as if errors were independent, back through the network.
  void find_gains() {
    gains_.assign(seen_.size(), 0);
    const auto order = g_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      double energy = 0;
      for (std::size_t c = 0; c < count(*n); ++c) energy += seen_[first_[*n] + c].squares;
      for (std::size_t c = 0; c < count(*n) && g_[*n].output && energy > 0; ++c)
        gains_[first_[*n] + c] += seen_[first_[*n] + c].count / energy;
      if (!g_.inputs(*n).empty()) pass_gains(*n);
    }
  }
  // The gain of a channel of n before its ReLU.
  double gain_before(id n, std::size_t channel) const {
    const bool cut = nvdlac::visit([]<class Op>(const Op& op) {
      if constexpr (requires { op.relu; }) return bool{op.relu};
      else return std::is_same_v<Op, net::relu> || std::is_same_v<Op, net::clip>;
    }, g_[n].op);
    const auto& s = seen_[channel];
    return gains_[channel] * (cut && s.count > 0 ? s.live / s.count : 1);
  }
  void pass_gains(id n) {
    const auto in = g_.inputs(n)[0];
    const bool taken = each_taken(n, [&](std::size_t from, std::size_t to, double by) {
      gains_[from] += by * gain_before(n, to);
    });
    nvdlac::visit([&](const auto& op) {
      if constexpr (requires { op.weights; })
        each_weight(g_[n].op, count(in), [&](std::size_t i, std::size_t c, std::size_t k) {
          gains_[first_[in] + c] += std::pow(double{op.weights[i]}, 2) *
                                    gain_before(n, first_[n] + k);
        });
    }, g_[n].op);
    if (taken) return;
    // Anything else: as its values spread beside those that it reads.
    const auto mean_of = [&](id m, const auto& value) {
      double sum = 0;
      for (std::size_t c = 0; c < count(m); ++c) sum += value(first_[m] + c);
      return sum / static_cast<double>(count(m));
    };
    const auto variance = [&](std::size_t i) { return seen_[i].variance(); };
    const double gain = mean_of(n, [&](std::size_t i) { return gains_[i]; });
    for (const id i : g_.inputs(n))
      if (const double before = mean_of(i, variance); before > 0)
        for (std::size_t c = 0; c < count(i); ++c)
          gains_[first_[i] + c] += gain * mean_of(n, variance) / before *
                                   static_cast<double>(count(n)) / static_cast<double>(count(i));
  }

  // Whether channel c of n is rounded there: what keeps its scale is not.
  bool is_rounded(id n, std::size_t c) {
    const auto inputs = g_.inputs(n), readers = g_.consumers(n);
    if (!is_int8_[n] || inputs.empty() || (readers.size() == 1 && joins_layer(readers[0])))
      return false;
    if (joins_layer(n) || !std::holds_alternative<net::concat>(g_[n].op))
      return joins_layer(n) || !shared_factor(g_, n);
    std::size_t k = 0;
    while (c >= count(inputs[k])) c -= count(inputs[k++]);
    return scales_.find(inputs[k]) != scales_.find(n);
  }
  std::vector<double> factors_of_least_noise(std::size_t threads) {
    constexpr int rounds = 120;
    constexpr double furthest = 4;
    channel_noise noise(seen_.size());
    std::vector<channel_noise::shared_range> ranges(g_.size());
    std::vector<double> most(g_.size(), 0), low(seen_.size(), -furthest),
        high(seen_.size(), furthest);
    std::vector<bool> signs(g_.size(), false);
    const auto each = [&](const auto& f) {
      for (const id n : g_.order())
        for (std::size_t c = 0; c < count(n); ++c) f(n, c, first_[n] + c, scales_.find(n));
    };
    each([&](id n, std::size_t, std::size_t i, std::size_t scale) {
      most[scale] = std::max(most[scale], reach(i));
      signs[scale] = signs[scale] || seen_[i].low < 0;
      const auto* clip = std::get_if<net::clip>(&g_[n].op);
      if (const auto of = class_of_[i]; clip != nullptr && of != channel_noise::no_class) {
        const double room = double{clip->high} / (margin * seen_[i].high);
        low[of] = 0;
        high[of] = std::min(high[of], room > 1 ? std::log(room) : 0.0);
      }
    });
    each([&](id n, std::size_t c, std::size_t i, std::size_t scale) {
      const double step = signs[scale] ? 1.0 / 127 : 1.0 / 255;
      ranges[scale].ranges.emplace_back(class_of_[i],
                                        std::max(reach(i), least_range * most[scale]));
      if (is_rounded(n, c))
        ranges[scale].gains.emplace_back(class_of_[i], step * step / 12 * gains_[i]);
    });
    for (auto& r : ranges) noise.add(std::move(r));
    for (const id n : g_.order())
      if (is_int8_[n] && net::has_filters(g_[n].op)) add_filters(n, noise);
    return noise.least(low, high, rounds, threads);
  }
  // The noise of weights; a kernel of few channels has weights as fine as ever.
  void add_filters(id n, channel_noise& to) const {
    const auto* c = std::get_if<net::convolution>(&g_[n].op);
    if (c != nullptr && c->groups != 1) return;
    const auto in = g_.inputs(n)[0];
    const std::size_t channels = count(in), kernels = count(n);
    channel_noise::filters f{.largest = std::vector<float>(kernels * channels, 0)};
    std::size_t all = 0;
    nvdlac::visit([&](const auto& op) {
      if constexpr (requires { op.weights; }) {
        all = op.weights.size();
        each_weight(g_[n].op, channels, [&](std::size_t i, std::size_t from, std::size_t k) {
          auto& largest = f.largest[k * channels + from];
          largest = std::max(largest, std::fabs(op.weights[i]));
        });
      }
    }, g_[n].op);
    const double taps = static_cast<double>(all) / static_cast<double>(kernels * channels);
    for (std::size_t i = first_[in]; i < first_[in] + channels; ++i) {
      f.classes.push_back(class_of_[i]);
      f.energy.push_back(taps * seen_[i].variance());
    }
    for (std::size_t k = 0; k < kernels; ++k)
      f.part.push_back(left_of_rounding / (12.0 * 127 * 127) * gain_before(n, first_[n] + k));
    to.add(std::move(f));
  }

  const Graph& g_;
  bool empty_ = true;
  std::vector<bool> is_int8_{};          // by node
  std::vector<std::size_t> first_{};     // of the channels of each node
  std::vector<std::size_t> class_of_{};  // by channel: those with one factor
  std::vector<seen_channel> seen_{};     // by channel
  detail::united_sets scales_;                   // nodes whose tensors have one scale
  std::vector<bool> movable_{};          // by class: may have an offset
  std::vector<double> offsets_{};        // by class
  std::vector<double> factors_{};        // by class: their logarithms; empty: there are none
  std::vector<double> gains_{};          // by channel
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/equalise.ipp>
#endif
