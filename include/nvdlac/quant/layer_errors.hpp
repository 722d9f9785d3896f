// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the errors of integers arise: what the user should know before he trusts the numbers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/layer_error.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

// Where the error of an integer network arises: each layer's values beside what the float network
// has there, and beside what the float layer makes of the integers that the layer itself reads.

// Whether SDP may compute it behind the layer that it reads, whose integers are then called like it.
template <class Operator>
bool may_stand_behind(const Operator& op) {
  return std::holds_alternative<net::relu>(op) || std::holds_alternative<net::clip>(op) ||
         std::holds_alternative<net::prelu>(op);
}

// Compares a network behind its passes with its integers, input by input. Both must outlive it.
template <class Graph>
class layer_errors {
 public:
  using id = typename Graph::id;

  layer_errors(const Graph& real, const quantised::graph& integers)
      : real_(real), integers_(integers), ranges_(real.size(), 0), found_(real.size()) {
    std::map<std::string, quantised::graph::id> named;
    for (quantised::graph::id n = 0; n < integers.size(); ++n) named[integers[n].name] = n;
    integer_of_.resize(real.size());
    for (id n = 0; n < real.size(); ++n) {
      found_[n].name = real[n].name;
      const auto i = named.find(real[n].name);
      if (i == named.end()) continue;
      const auto* in = std::get_if<quantised::input>(&integers[i->second].op);
      if (in != nullptr && in->pixels) continue;  // they have offsets and gains of their own
      integer_of_[standing_for(n, named)] = i->second;
    }
  }

  // The largest values of the float network, which `at_own_range` counts with.
  void observe(std::span<const net::float_tensor> inputs) {
    net::evaluate_each(real_, inputs, [&](id n, const net::float_tensor& t) {
      for (const float x : t.values) ranges_[n] = std::max(ranges_[n], std::fabs(double{x}));
    });
  }
  // The tensors of the integer network, by node, for these inputs.
  void add(std::span<const net::float_tensor> inputs, const std::vector<net::any_tensor>& tensors) {
    std::vector<net::float_tensor> reference(real_.size()), held(real_.size());
    net::evaluate_each(real_, inputs,
                       [&](id n, const net::float_tensor& t) { reference[n] = t; });
    for (const id n : real_.order()) {
      const auto expected = computed(n, reference, held);
      const auto i = integer_of_[n];
      if (!i || net::shape_of(tensors[*i]).size() != expected.values.size()) {
        held[n] = expected;
        continue;
      }
      const auto& node = integers_[*i];
      held[n] = quantised::real_of(tensors[*i], node.scale, node.zero);
      held[n].shape = expected.shape;
      count(n, node, reference[n].values, expected.values, held[n].values);
    }
  }
  // The errors of the layers that have integers of their own, in the network's order.
  std::vector<layer_error> results() const {
    std::vector<layer_error> result;
    for (const id n : real_.order())
      if (integer_of_[n] && !real_.inputs(n).empty()) result.push_back(found_[n]);
    return result;
  }

 private:
  // The node whose values the integers have that are called like n: a clipping or a slope that
  // joined it has none of its own.
  template <class Names>
  id standing_for(id n, const Names& named) const {
    while (!real_[n].output && real_.consumers(n).size() == 1) {
      const id next = real_.consumers(n)[0];
      if (named.contains(real_[next].name) || !may_stand_behind(real_[next].op)) break;
      n = next;
    }
    return n;
  }
  net::float_tensor computed(id n, const std::vector<net::float_tensor>& reference,
                             const std::vector<net::float_tensor>& held) const {
    std::vector<const net::float_tensor*> in;
    for (const auto i : real_.inputs(n)) in.push_back(&held[i]);
    return nvdlac::visit(
        [&]<class Op>(const Op& op) -> net::float_tensor {
          if constexpr (net::is_network_input<Op>) return reference[n];
          else return op.evaluate(std::span<const net::float_tensor* const>(in));
        },
        real_[n].op);
  }
  void count(id n, const quantised::graph::node& node, const std::vector<float>& reference,
             const std::vector<float>& expected, const std::vector<float>& values) {
    auto& all = found_[n];
    const double own = ranges_[n] / (127 - node.zero);
    const auto rounded = [](double x, double step) {
      return step > 0 ? std::round(x / step) * step : x;
    };
    const auto square = [](double x) { return x * x; };
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x{reference[i]}, e{expected[i]}, v{values[i]};
      all.signal += square(x);
      all.product += x * v;
      all.square += square(v);
      all.error += square(v - x);
      all.arising += square(v - e);
      if (node.precision != hw::precision::int8) continue;
      all.at_its_scale += square(rounded(e, node.scale) - x);
      all.at_own_range += square(rounded(e, own) - x);
    }
  }

  const Graph& real_;
  const quantised::graph& integers_;
  std::vector<std::optional<quantised::graph::id>> integer_of_{};
  std::vector<double> ranges_;
  std::vector<layer_error> found_;
};

// What is no error, but what the user should know before he trusts the numbers.

// Watches calibration samples: of which inputs did every one hold a single value throughout?
struct uniformity {
  std::size_t samples = 0;
  std::vector<bool> varies{};  // by input
  std::vector<float> first{};

  void observe(std::span<const net::float_tensor> sample) {
    if (++samples == 1) varies.assign(sample.size(), false), first.assign(sample.size(), 0);
    for (std::size_t i = 0; i < std::min(sample.size(), varies.size()); ++i) {
      const auto& v = sample[i].values;
      varies[i] = varies[i] || v.size() < 2 ||
                  std::ranges::any_of(v, [&](float x) { return x != v[0]; });
      if (samples == 1 && !v.empty()) first[i] = v[0];
    }
  }
};

// Inputs whose calibration says little.
template <class Graph>
std::vector<problem> uniform_inputs(const Graph& g, const uniformity& seen) {
  std::vector<problem> found;
  const auto nodes = net::input_nodes(g);
  for (std::size_t i = 0; i < std::min(nodes.size(), seen.varies.size()); ++i)
    if (!seen.varies[i])
      found.push_back({.layer = g[nodes[i]].name,
                       .reason = text("every calibration input is a single value throughout (",
                                      seen.first[i], "): the scales of all layers are guesses"),
                       .remedy = "calibrate with inputs as the network will see them"});
  return found;
}

// Tensors in fp16 whose values the table knows to lie beyond its range.
template <class Graph>
std::vector<problem> beyond_fp16(const Graph& g, const scale_table& table,
                                 const net::layer_precisions& p) {
  std::map<std::string, double> scales;
  for (const auto& e : table.entries) scales[e.layer] = e.scale;
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto scale = scales.find(g[n].name);
    if (scale == scales.end() || p(g[n].name) != hw::precision::fp16) continue;
    if (const double reach = 127 * scale->second; reach > 65504)
      found.push_back({.layer = g[n].name,
                       .reason = text("its values reach ", reach, ", and in fp16 those beyond "
                                      "65504 become 65504"),
                       .remedy = text("compute it in int16 or int8: --precision fp16,", g[n].name,
                                      "=int16; or scale the network's values")});
  }
  return found;
}

// Softmaxes of inputs so large that fp16 has steps of 1 or more between them, by which their results
// are off by whole factors. The runtime's softmax reads fp16 for int16, too.
template <class Graph>
std::vector<problem> coarse_softmaxes(const Graph& g, const scale_table& table,
                                      const net::layer_precisions& p) {
  constexpr double least_step = 1;
  constexpr int mantissa_bits = 10;
  std::map<std::string, double> scales;
  for (const auto& e : table.entries) scales[e.layer] = e.scale;
  const auto reads_fp16 = [&](typename Graph::id n) {
    const auto precision = p(g[n].name);
    if (std::holds_alternative<net::softmax>(g[n].op)) return precision != hw::precision::int8;
    const auto* host = std::get_if<net::on_host>(&g[n].op);
    return host != nullptr && precision == hw::precision::fp16 &&
           (host->call.layer == "softmax" || host->call.layer == "log_softmax");
  };
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    if (!reads_fp16(n)) continue;
    auto from = g.inputs(n)[0];
    double factor = 1;
    for (auto share = shared_factor(g, from); share && !scales.contains(g[from].name);
         share = shared_factor(g, from)) {
      factor *= *share;
      from = g.inputs(from)[0];
    }
    const auto scale = scales.find(g[from].name);
    if (scale == scales.end()) continue;
    const double reach = 127 * scale->second * factor;
    const double step = std::ldexp(1.0, std::ilogb(reach) - mantissa_bits);
    if (step >= least_step)
      found.push_back({.layer = g[n].name,
                       .reason = text("its inputs reach ", reach, ", where fp16 has steps of ",
                                      step, ": their differences, of which a softmax is made, are "
                                      "lost"),
                       .remedy = text("scale the network's values down, or end before it in int16 "
                                      "or int8 and compute it outside: --to ",
                                      g[g.inputs(n)[0]].name)});
  }
  return found;
}

// Weights of which fp16 leaves nothing.
template <class Graph>
std::vector<problem> vanishing_weights(const Graph& g, const quantised::graph& integers) {
  std::map<std::string, const quantised::convolution*> convolutions;
  for (quantised::graph::id n = 0; n < integers.size(); ++n)
    if (integers.precision(n) == hw::precision::fp16)
      if (const auto* c = integers.get_if<quantised::convolution>(n))
        if (!c->winograd) convolutions[integers[n].name] = c;
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto c = convolutions.find(g[n].name);
    if (c == convolutions.end()) continue;
    nvdlac::visit([&]<class Op>(const Op& op) {
      if constexpr (requires { op.weights; }) {
        const auto some = std::ranges::count_if(op.weights, [](float w) { return w != 0; });
        const auto& halves = c->second->wide_weights;
        const auto left = std::count_if(halves.begin(), halves.end(),
                                        [](std::int16_t bits) { return (bits & 0x7fff) != 0; });
        if (left < some)
          found.push_back({.layer = g[n].name,
                           .reason = text(some - left, " of its ", op.weights.size(),
                                          " weights are so small that fp16 makes them 0"),
                           .remedy = text("compute it in int16 or int8: --precision fp16,",
                                          g[n].name, "=int16")});
      }
    }, g[n].op);
  }
  return found;
}

// What rounding would add, by which channels are brought to one range (equalise.hpp).

// What rounding adds to a network's outputs, by factors of channels: those that give a channel
// multiply it, those that read it divide by it. Channels of one class have one factor.
class channel_noise {
 public:
  static constexpr std::size_t no_class = std::numeric_limits<std::size_t>::max();  // factor 1

  // Channels that are rounded in steps of one range, of which the noise is the square of the
  // largest range * factor, times the sum of gain / factor^2.
  struct shared_range {
    std::vector<std::pair<std::size_t, double>> ranges{}, gains{};  // by class
  };
  // Filters that share their input, of which the noise is for each kernel the square of its largest
  // weight / factor, times part and the sum of energy * factor^2.
  struct filters {
    std::vector<std::size_t> classes{};  // of the channels that they read
    std::vector<double> energy{};        // of these channels
    std::vector<float> largest{};        // weights, [kernel][channel]
    std::vector<double> part{};          // of the kernels
  };

  explicit channel_noise(std::size_t classes) : classes_(classes) {}
  void add(shared_range r) { ranges_.push_back(std::move(r)); }
  void add(filters f) { filters_.push_back(std::move(f)); }

  // The logarithms of the factors of least noise between these limits, in so many rounds. It is
  // convex in them, as all of it are sums of products of their powers.
  std::vector<double> least(std::span<const double> low, std::span<const double> high, int rounds,
                            std::size_t threads) const {
    constexpr double most_at_once = 0.2, momentum = 0.7;
    std::vector<double> logs(classes_, 0), speed(classes_, 0);
    std::vector<terms> of_filters(filters_.size());
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> slope(classes_, 0), bend(classes_, 0);
      const auto put = [&](const terms& t) {
        for (const auto& [at, s, b] : t)
          if (at != no_class) slope[at] += s, bend[at] += b;
      };
      for_all(filters_.size(), threads,
              [&](std::size_t i) { of_filters[i] = terms_of(filters_[i], logs); });
      for (const auto& r : ranges_) put(terms_of(r, logs));
      for (const auto& t : of_filters) put(t);
      for (std::size_t i = 0; i < classes_; ++i)
        if (bend[i] > 0) {
          const double step = std::clamp(-slope[i] / bend[i], -most_at_once, most_at_once);
          speed[i] = momentum * speed[i] + step;
          logs[i] = std::clamp(logs[i] + speed[i], low[i], high[i]);
        }
    }
    return logs;
  }

 private:
  struct term {
    std::size_t at;
    double slope, bend;  // bend: at least the second derivative
  };
  using terms = std::vector<term>;

  // A maximum is taken as a root of the sum of such powers, which bends smoothly.
  static constexpr double power = 16;
  static double to_the_power(double x) {
    for (int i = 0; i < 4; ++i) x *= x;
    return x;
  }
  // Of a maximum's share, and of a sum's, in a noise that holds their squares.
  static term of_largest(std::size_t at, double noise) {
    return {at, 2 * noise, (4 + 2 * power) * noise};
  }
  static double factor(const std::vector<double>& logs, std::size_t at) {
    return at == no_class ? 1 : std::exp(logs[at]);
  }

  static terms terms_of(const shared_range& r, const std::vector<double>& logs) {
    std::vector<double> reached;
    for (const auto& [at, range] : r.ranges) reached.push_back(range * factor(logs, at));
    const double most = reached.empty() ? 0 : *std::ranges::max_element(reached);
    double sum = 0, gain = 0;
    if (!(most > 0)) return {};
    for (double& x : reached) sum += x = to_the_power(x / most);
    for (const auto& [at, g] : r.gains) gain += g / std::pow(factor(logs, at), 2);
    const double squared = most * most * std::pow(sum, 2 / power);
    terms result;
    for (std::size_t i = 0; i < reached.size(); ++i)
      result.push_back(of_largest(r.ranges[i].first, squared * gain * reached[i] / sum));
    for (const auto& [at, g] : r.gains) {
      const double noise = squared * g / std::pow(factor(logs, at), 2);
      result.push_back({at, -2 * noise, 4 * noise});
    }
    return result;
  }
  static terms terms_of(const filters& f, const std::vector<double>& logs) {
    const std::size_t channels = f.classes.size();
    std::vector<double> divided(channels), energy(channels), powers(channels), shares(channels);
    double all = 0, noises = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      const double by = factor(logs, f.classes[c]);
      divided[c] = 1 / by;
      all += energy[c] = f.energy[c] * by * by;
    }
    for (std::size_t k = 0; k < f.part.size() && all > 0; ++k) {
      const float* const w = f.largest.data() + k * channels;
      double most = 0, sum = 0;
      for (std::size_t c = 0; c < channels; ++c) most = std::max(most, double{w[c]} * divided[c]);
      if (!(most > 0)) continue;
      for (std::size_t c = 0; c < channels; ++c)
        sum += powers[c] = to_the_power(double{w[c]} * divided[c] / most);
      const double noise = f.part[k] * most * most * std::pow(sum, 2 / power) * all;
      noises += noise;
      for (std::size_t c = 0; c < channels; ++c) shares[c] += noise * powers[c] / sum;
    }
    terms result;
    for (std::size_t c = 0; c < channels && noises > 0; ++c) {
      const auto less = of_largest(f.classes[c], shares[c]);
      const double more = noises * energy[c] / all;
      result.push_back({less.at, 2 * more - less.slope, 4 * more + less.bend});
    }
    return result;
  }

  std::size_t classes_;
  std::vector<shared_range> ranges_{};
  std::vector<filters> filters_{};
};

}  // namespace nvdlac::quant
