// SPDX-License-Identifier: Apache-2.0
// The integers of random networks beside their float reference, layer by layer: each tensor,
// computed from the integers that its layer really reads, is as near as its scale and the rounding
// of weights allow. An error that is far beyond that is a wrong formula, however good the mean is.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/keep_scales.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "random_network.hpp"

using namespace nvdlac;

namespace {

using id = net::graph::id;

double largest(std::span<const float> values) {
  double most = 0;
  for (const float v : values) most = std::max(most, std::fabs(double{v}));
  return most;
}

// Judges the integers of a network for one sample.
class judge {
 public:
  judge(const prepared_network& of, const sample& given) : g_(of.graph), q_(of.integers) {
    std::vector<quantised::feed> feeds;
    const auto inputs = net::input_nodes(q_);
    for (std::size_t i = 0; i < given.size(); ++i)
      feeds.push_back(quantised::feed_of(
          quantised::numbers_of(
          given[i], q_[inputs[i]].scale, q_[inputs[i]].precision, q_[inputs[i]].gain)));
    numbers_.resize(q_.size());
    quantised::evaluate_any_each(q_, std::span<const quantised::feed>(feeds),
                                 [&](auto n, const net::any_tensor& t) { numbers_[n] = t; });
    for (quantised::graph::id n = 0; n < q_.size(); ++n) named_[q_[n].name] = n;
    held_.resize(g_.size());
    within_.resize(g_.size());
    settled_.resize(g_.size());
    for (const id n : g_.order()) {
      if (settled_[n]) continue;
      compute(n, given);
      if (const auto found = named_.find(g_[n].name); found != named_.end())
        look_at(n, found->second);
    }
  }

  // How often the worst error is what is allowed, and where.
  double worst = 0;
  std::string layer{};

 private:
  // Computes what the operator gives for the integers that it reads, if it has none of its own.
  void compute(id n, const sample& given) {
    std::vector<const net::float_tensor*> in;
    double before = 0;
    for (const auto i : g_.inputs(n)) {
      in.push_back(&held_[i]);
      before = std::max(before, within_[i]);
    }
    held_[n] = nvdlac::visit([&]<class Op>(const Op& o) -> net::float_tensor {
      if constexpr (net::is_network_input<Op>) {
        const auto inputs = net::input_nodes(g_);
        return given[static_cast<std::size_t>(std::ranges::find(inputs, n) - inputs.begin())];
      } else return o.evaluate(std::span<const net::float_tensor* const>(in));
    }, g_[n].op);
    within_[n] = steepness(g_[n].op) * before + of_operator(g_[n].op, in, held_[n], precision(n));
  }

  // Compares with the integers i that are called like n. A bound of the clipping that alone reads n
  // may have joined it, and so may all of what SDP computes behind it, where that has no integers.
  void look_at(id n, quantised::graph::id i) {
    const auto& node = q_[i];
    if (net::shape_of(numbers_[i]).size() != held_[n].values.size()) return;
    auto own = quantised::real_of(numbers_[i], node.scale, node.zero, node.gain);
    own.shape = held_[n].shape;
    const auto readers = g_.consumers(n);
    const bool alone = !g_[n].output && readers.size() == 1;
    const auto* clip = alone ? std::get_if<net::clip>(&g_[readers[0]].op) : nullptr;
    double times = off(held_[n], own, within_[n], node, clip);
    auto stands_for = n;
    for (id m = n; !g_[m].output && g_.consumers(m).size() == 1;) {
      m = g_.consumers(m)[0];
      if (named_.contains(g_[m].name) || !quant::may_stand_behind(g_[m].op)) break;
      compute(m, {});
      if (const double then = off(held_[m], own, within_[m], node, nullptr); then < times) {
        times = then;
        stands_for = m;
      }
    }
    for (id m = n; m != stands_for; m = g_.consumers(m)[0]) settled_[g_.consumers(m)[0]] = true;
    if (times > worst) {
      worst = times;
      layer = g_[n].name;
    }
    held_[stands_for] = std::move(own);
    within_[stands_for] = 0;
  }

  // How often the largest difference is what is allowed.
  static double off(const net::float_tensor& expected, const net::float_tensor& found,
                    double allowed, const quantised::graph::node& node, const net::clip* clip) {
    const auto cut = [&](double v) {
      return clip != nullptr ? std::clamp(v, double{clip->low}, double{clip->high}) : v;
    };
    const auto p = node.precision;
    const double levels = p == hw::precision::int8 ? 127 : 32767;
    const std::size_t area = expected.values.size() / std::max<std::size_t>(1, node.gain.size());
    double most = 0;
    for (std::size_t e = 0; e < expected.values.size(); ++e) {
      double x{expected.values[e]};
      const double scale = node.gain.empty() ? node.scale : node.gain[e / area] * node.scale;
      if (p != hw::precision::fp16)
        x = std::clamp(x, scale * (-levels - 1 - node.zero), scale * (levels - node.zero));
      // Half a step for the rounding, and as much for the multipliers', which have 15 bits.
      const double step = p == hw::precision::fp16 ? std::fabs(x) * 0x1p-9 + 1e-5
                                                   : scale * (p == hw::precision::int8 ? 1 : 8);
      most = std::max(most, std::fabs(cut(x) - cut(double{found.values[e]})) / (allowed + step));
    }
    return most;
  }

  hw::precision precision(id n) const {
    const auto found = named_.find(g_[n].name);
    return q_[found != named_.end() ? found->second : 0].precision;
  }
  // By how much an error of its input grows at most, for what may join the layer before.
  static double steepness(const net::graph::any_operator& op) {
    if (const auto* p = std::get_if<net::prelu>(&op)) return std::max(1.0, largest(p->slope));
    if (const auto* s = std::get_if<net::scale>(&op)) return largest(s->factor);
    return 1;
  }
  // The error that the operator itself may have, beside the rounding of its result.
  static double of_operator(const net::graph::any_operator& op,
                            const std::vector<const net::float_tensor*>& in,
                            const net::float_tensor& out, hw::precision p) {
    const double levels = p == hw::precision::int8 ? 127 : p == hw::precision::int16 ? 32767 : 2048;
    // Half a step of the longest weight for each element of the input.
    const auto filters = [&](auto op_of_ones) {
      const double step = 1.2 * largest(op_of_ones.weights) / levels;
      std::ranges::fill(op_of_ones.weights, 1.0F);
      op_of_ones.bias.clear();
      op_of_ones.relu = false;
      auto magnitudes = *in[0];
      for (float& x : magnitudes.values) x = std::fabs(x);
      const std::array one{static_cast<const net::float_tensor*>(&magnitudes)};
      return step / 2 * largest(op_of_ones.evaluate(
                            std::span<const net::float_tensor* const>(one)).values);
    };
    if (const auto* c = std::get_if<net::convolution>(&op)) return filters(*c);
    if (const auto* f = std::get_if<net::fully_connected>(&op)) return filters(*f);
    if (std::holds_alternative<net::activation>(op) && p != hw::precision::int8)
      return largest(out.values) / 50;  // quant::detail::interpolated refuses more
    if (p != hw::precision::fp16) return 0;
    double magnitude = 0;
    for (const auto* x : in) magnitude = std::max(magnitude, largest(x->values));
    return magnitude * 0x1p-9;
  }
  const net::graph& g_;
  const quantised::graph& q_;
  std::map<std::string, quantised::graph::id> named_{};
  std::vector<net::any_tensor> numbers_{};
  std::vector<net::float_tensor> held_{};
  std::vector<bool> settled_{};    // by the integers of a node before
  std::vector<double> within_{};  // how far a tensor that has no integers may be off
};

// Prepares a network by what of a configuration counts before there are integers.
template <class Hw>
prepared_network prepared_for(const net::graph& g, std::span<const sample> samples,
                              const compile_options& options) {
  return prepare(g, samples, options, pass::verify{}, [&](net::graph& passed) {
    nvdlac::detail::throw_if_any(lower::check<Hw>(passed, options.precision));
    lower::keep_scales<Hw>(passed);
    if (options.without.contains(std::string(pass::fuse_sum::name))) return;
    pass::fuse_sum::run(passed, [&](auto convolution, auto sum) {
      return lower::adds_behind<Hw>(passed, convolution, sum, options.precision);
    });
  });
}

std::vector<std::string> names_of_outputs(const auto& g) {
  std::vector<std::string> names;
  for (const auto n : g.outputs()) names.push_back(g[n].name);
  return names;
}

template <class Hw>
void check(std::uint64_t seed, hw::precision p) {
  const auto g = random_network::make(seed, Hw::spec.sdp_lut);
  const auto samples = random_network::samples(g, seed, 4);
  for (const bool whole : {true, false}) {
    compile_options options{.precision = p};
    if (!whole)  // leave out a step
      options.without.insert(seed % 3 == 0   ? "fuse_relu"
                             : seed % 3 == 1 ? "fuse_sum"
                                             : "merge_bias");
    const auto of = prepared_for<Hw>(g, samples, options);
    CAPTURE(type_name<Hw>());
    CAPTURE(seed);
    CAPTURE(std::string(hw::name_of(p)));
    CAPTURE(whole);
    CHECK(names_of_outputs(of.integers) == names_of_outputs(of.graph));
    CHECK(names_of_outputs(of.graph) == names_of_outputs(g));
    for (quantised::graph::id n = 0; n < of.integers.size(); ++n)
      for (const auto i : of.integers.inputs(n)) CHECK(i < n);
    for (const auto& s : samples) {
      const judge found(of, s);
      if (found.worst <= 1) continue;
      std::ostringstream networks;
      net::dump(networks, of.graph);
      net::dump(networks, of.integers);
      FAIL_CHECK(found.layer, " is off ", found.worst, " times what is allowed:\n",
                 networks.str());
    }
  }
}

}  // namespace

TEST_CASE("each tensor of random networks is as near to float as its scale allows") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    check<nv_small>(seed, hw::precision::int8);
    check<nv_full>(seed, hw::precision::int8);
    if (seed % 4 == 0) check<nv_full>(seed, hw::precision::int16);
    if (seed % 4 == 2) check<nv_full>(seed, hw::precision::fp16);
  }
}
