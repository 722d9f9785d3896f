// SPDX-License-Identifier: Apache-2.0
#pragma once
// The choice of layers worth 16 bits: int8 is the fastest, and a few layers often lose most.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/join_gates.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac {

// The findings of choose_precisions. A sample changes where the largest element of an output is
// not the one that it is in float: the class, of a classifier.
struct precision_choice {
  // int8, and by name what is wider; or all in the wider one, where no mixture is faster.
  net::layer_precisions precisions{};
  std::size_t layers = 0, wide_layers = 0;  // that could be wider, and that are
  // Percent of the samples that change: so, with all layers in int8, and with all of them wider.
  double changed = 0, narrow = 0, wide = 0;
};

// Whether the first network takes fewer cycles than the second one.
using faster = std::function<bool(const quantised::graph&, const quantised::graph&)>;

namespace detail {

template <class Graph, class Prepare>
class precision_search {
 public:
  using id = typename Graph::id;

  precision_search(const Graph& network, const quant::sample_stream& samples, hw::precision wide,
                   compile_options options, const Prepare& prepare, faster is_faster)
      : samples_(samples), wide_(wide), options_(std::move(options)), prepare_(prepare),
        is_faster_(std::move(is_faster)) {
    samples_.each([&](const sample& s) {
      classes_.push_back(classes_of(net::evaluate(network, std::span(s))));
    });
  }

  precision_choice run(double most) {
    options_.precision = hw::precision::int8;
    const auto narrow = prepare_(scale_source(samples_), options_);
    scales_ = narrow.scales;
    precision_choice result;
    result.changed = result.narrow = result.wide = changed(narrow.integers);
    rank(narrow);
    result.layers = ranked_.size();
    if (result.narrow <= most) return result;
    auto all_wide = options_;
    all_wide.precision = wide_;
    all_wide.pixels &= wide_ != hw::precision::fp16;
    const auto whole = prepare_(scale_source(samples_), all_wide);
    for (auto& e : whole.scales.entries) wide_scales_.insert_or_assign(e.layer, e);
    result.precisions = wide_;
    result.wide_layers = result.layers;
    result.wide = result.changed = changed(whole.integers);
    if (result.wide > most)
      throw error({.reason = text("in ", hw::name_of(wide_), ' ', result.wide,
                                  " % of the samples change, in int8 ", result.narrow, " %"),
                   .remedy = "allow more, or calibrate with inputs as the network will see them"});
    // With each layer more the samples change less, or hardly more.
    std::size_t few = 0, enough = ranked_.size();
    auto mixture = mixed(enough);
    double best = changed(mixture);
    if (best > most) return result;  // the input needs it as well
    while (few + 1 < enough) {
      const auto middle = few + (enough - few) / 2;
      auto next = mixed(middle);
      if (const auto now = changed(next); now > most) few = middle;
      else {
        enough = middle;
        best = now;
        mixture = std::move(next);
      }
    }
    if (is_faster_ && !is_faster_(mixture, whole.integers)) return result;
    result.precisions = with(enough);
    result.wide_layers = enough;
    result.changed = best;
    return result;
  }

 private:
  static std::size_t class_of(const std::vector<float>& values) {
    return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  }
  static std::vector<std::size_t> classes_of(const std::vector<net::float_tensor>& outputs) {
    std::vector<std::size_t> result;
    for (const auto& t : outputs) result.push_back(class_of(t.values));
    return result;
  }
  std::vector<quantised::feed> feeds_of(const quantised::graph& g, const sample& s) const {
    return quant::feeds_of(g, s, options_.preprocessing);
  }

  // Percent of the samples.
  double changed(const quantised::graph& g) const {
    std::size_t number = 0, found = 0;
    const auto nodes = g.outputs();
    samples_.each([&](const sample& s) {
      const auto feeds = feeds_of(g, s);
      const auto outputs = quantised::evaluate_any(g, std::span<const quantised::feed>(feeds));
      std::vector<net::float_tensor> real;
      for (std::size_t i = 0; i < outputs.size(); ++i)
        real.push_back(quantised::real_of(outputs[i], g[nodes[i]].scale, g[nodes[i]].zero,
                                          g[nodes[i]].gain));
      found += classes_of(real) != classes_.at(number++);
      options_.progress(number, samples_.size);
    });
    return 100.0 * static_cast<double>(found) / static_cast<double>(classes_.size());
  }
  quantised::graph mixed(std::size_t count) {
    options_.precision = with(count);
    auto scales = scales_;
    for (auto& e : scales.entries)
      if (const auto w = wide_scales_.find(e.layer);
          w != wide_scales_.end() && options_.precision(e.layer) == wide_)
        e = w->second;
    return prepare_(scale_source(std::move(scales)), options_).integers;
  }
  // The layers that lose most in 16 bits, the others in 8.
  net::layer_precisions with(std::size_t count) const {
    net::layer_precisions p(hw::precision::int8);
    for (std::size_t i = 0; i < count; ++i)
      for (const auto& name : ranked_[i]) p.of.emplace(name, wide_);
    return p;
  }

  // A layer's node, and those that read its values, which are only as fine as these take them.
  static void add_with_readers(const Graph& g, id n, std::vector<std::string>& names) {
    names.push_back(g[n].name);
    for (const auto r : g.consumers(n)) {
      const bool whole = quant::may_stand_behind(g[r].op) || quant::shared_factor(g, r);
      if (whole) add_with_readers(g, r, names);
      else names.push_back(g[r].name);
    }
  }
  // Layers by the error that arises in them in int8, as a part of their values; the worst first.
  template <class Prepared>
  void rank(const Prepared& p) {
    const auto& g = p.graph;
    quant::layer_errors<Graph> errors(g, p.integers);
    std::size_t number = 0;
    samples_.each([&](const sample& s) {
      if (number++ >= most_ranked) return;
      std::vector<net::any_tensor> tensors(p.integers.size());
      const auto feeds = feeds_of(p.integers, s);
      quantised::evaluate_any_each(p.integers, std::span<const quantised::feed>(feeds),
                                   [&](auto n, const net::any_tensor& t) { tensors[n] = t; });
      errors.add(s, tensors);
    });
    std::map<std::string, double> lost;
    for (const auto& e : errors.results())
      if (e.signal > 0) lost[e.name] = e.arising / e.signal;
    std::vector<std::pair<double, std::vector<std::string>>> layers;
    for (const auto n : g.order()) {
      const auto found = lost.find(g[n].name);
      if (found == lost.end() || found->second == 0) continue;
      auto whole = n;
      while (quant::may_stand_behind(g[whole].op) && !g.inputs(g.inputs(whole)[0]).empty())
        whole = g.inputs(whole)[0];
      add_with_readers(g, whole, layers.emplace_back(found->second, std::vector<std::string>())
                                     .second);
    }
    std::ranges::stable_sort(layers, std::ranges::greater{}, [](const auto& l) { return l.first; });
    for (auto& [_, names] : layers) ranked_.push_back(std::move(names));
  }

  static constexpr std::size_t most_ranked = 16;  // samples

  const quant::sample_stream& samples_;
  hw::precision wide_;
  compile_options options_;
  const Prepare& prepare_;
  faster is_faster_;
  std::vector<std::vector<std::size_t>> classes_{};  // in float, by sample and output
  quant::scale_table scales_{};                      // of int8
  std::map<std::string, quant::scale_table::entry> wide_scales_{};
  std::vector<std::vector<std::string>> ranked_{};   // the names of each layer's nodes
};

}  // namespace detail

// The layers of a network that are computed in `wide`, int16 or fp16, while the others are in int8,
// so that at most so many percent of the samples change: those that lose most, as few as bisection
// finds. What reads a wide layer's values is wide, too; inputs stay pixels, or in int8.
// prepare(source, options) gives the network in its forms. All is wide where only that is enough,
// or where no mixture is faster, as conversions take layers too; throws where that is not enough.
// The same samples give the same choice, which is given again as compile_options::precision, or by
// --precision.
template <class Graph, class Prepare>
precision_choice choose_precisions(const Graph& network, const quant::sample_stream& samples,
                                   hw::precision wide, double most_changed,
                                   compile_options options, const Prepare& prepare,
                                   faster is_faster = {}) {
  if (wide == hw::precision::int8) throw error("int8 is not wider than int8: choose int16 or fp16");
  options.without.emplace(pass::fuse_sum::name);  // a sum has a precision of its own
  options.without.emplace(pass::join_gates::name);  // and so has a gate
  options.effort = 0;  // which makes int8 better for all choices
  options.warn = [](const problem&) {};
  return detail::precision_search(network, samples, wide, callable(std::move(options)), prepare,
                                  std::move(is_faster))
      .run(most_changed);
}
// Chooses the precisions of layers for one NVDLA.
template <hw::hardware Hw, class Passes = pass::standard, class Operators>
precision_choice choose_precisions(const net::basic_graph<Operators>& network,
                                   const quant::sample_stream& samples, hw::precision wide,
                                   double most_changed, const compile_options& options = {}) {
  return choose_precisions(network, samples, wide, most_changed, options,
                           [&](const scale_source& source, const compile_options& how) {
                             return prepare_for<Hw, Passes>(network, source, how);
                           },
                           [&](const quantised::graph& a, const quantised::graph& b) {
                             return choose::is_faster(lower::compiled_target<Hw>(), a, b, options);
                           });
}

}  // namespace nvdlac
