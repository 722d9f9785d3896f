// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a trained network to integers: what no configuration changes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/equalise.hpp>
#include <nvdlac/quant/inputs.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/quant/observer.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quant/reconstruct.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac {

// A network in all its forms before it is mapped to one NVDLA.
template <class Graph>
struct prepared {
  Graph graph{};                // after the passes
  quant::scale_table scales{};  // of the tensors of `graph`
  quantised::graph integers{};
};
// A prepared network without operators of the user's own.
struct prepared_network : prepared<net::graph> {};

// What tells where Winograd's mode is faster.
struct winograd_choice {
  quant::options::choice layer{};  // of a convolution alone; without it, none runs in the mode
  // Whether the network is faster with those of the mode than without; without it, it is.
  std::function<bool(const quantised::graph& with, const quantised::graph& without)> whole{};
};

namespace detail {

inline void throw_if_any(std::vector<problem> found) {
  if (!found.empty()) throw error(std::move(found));
}
template <class Graph>
using prepared_of = std::conditional_t<std::is_same_v<Graph, net::graph>, prepared_network,
                                       prepared<Graph>>;
// The samples of a source that is no table, seen as well by `seen`.
inline quant::sample_stream watched(const scale_source& source, quant::uniformity& seen) {
  if (const auto* all = std::get_if<std::span<const sample>>(&source))
    return {all->size(), [samples = *all, &seen](const auto& visit) {
              for (const auto& s : samples) seen.observe(s), visit(s);
            }};
  const auto& stream = std::get<quant::sample_stream>(source);
  return {stream.size, [&stream, &seen](const auto& visit) {
            stream.each([&](const sample& s) { seen.observe(s), visit(s); });
          }};
}
// The scales that the layers need: those of 16 bits hold the whole range of values. What fp16 does
// not need shows what is beyond its range.
template <class Graph>
quant::scale_table calibrated(const Graph& g, const quant::sample_stream& samples,
                              const compile_options& options) {
  quant::scale_table by_observer, whole;
  const auto any = [&](bool narrow) {
    bool found = false;
    for (typename Graph::id n = 0; n < g.size(); ++n)
      found = found || ((options.precision(g[n].name) == hw::precision::int8) == narrow &&
                        quant::needs_scales(g, n, options.precision));
    return found;
  };
  if (any(true))
    by_observer = quant::calibrate(g, samples, options.progress, options.calibrate,
                                   options.histogram, options.threads);
  if (any(false) || (options.precision.uses(hw::precision::fp16) && samples.size != 0))
    whole = quant::calibrate<quant::min_max>(
        g, samples, options.progress, {}, [](const std::string&, const quant::magnitudes&) {},
        options.threads);
  if (by_observer.entries.empty()) return whole;
  for (auto& e : whole.entries)
    if (options.precision(e.layer) == hw::precision::int8)
      e = *std::ranges::find(by_observer.entries, e.layer, &quant::scale_table::entry::layer);
  return whole.entries.empty() ? by_observer : whole;
}
inline void check_effort(const scale_source& source, const compile_options& options) {
  if (options.effort < 0 || options.effort > most_effort)
    throw error(text("an effort of ", options.effort, ": 0 to ", most_effort, " are possible"));
  if (options.effort == 0) return;
  if (!options.precision.uses(hw::precision::int8))
    throw error(problem{.reason = "an effort is made for layers in int8, of which there are none",
                        .remedy = "compute some in int8, or leave the effort at 0"});
  if (std::holds_alternative<quant::scale_table>(source) || !options.known.entries.empty())
    throw error(problem{.reason = "an effort needs calibration samples, and no given scales",
                        .remedy = "calibrate all scales, or leave the effort at 0"});
}
// What the observers of a calibration counted, by layer.
using histograms = std::vector<std::pair<std::string, quant::magnitudes>>;

// Some of the calibration samples with what the float network gives for them, by which the outputs
// of integers are judged.
class output_judge {
 public:
  static constexpr std::size_t most_samples = 32;  // evenly chosen

  template <class Graph>
  output_judge(const Graph& real, const quant::sample_stream& samples,
               const compile_options& options)
      : threads_(options.threads), how_(options.preprocessing) {
    const std::size_t count = std::min(samples.size, most_samples);
    std::size_t seen = 0;
    samples.each([&](const sample& s) {
      if (given_.size() < count && seen++ == given_.size() * samples.size / count)
        given_.push_back(s);
    });
    wanted_.resize(given_.size());
    for_all(given_.size(), threads_, [&](std::size_t i) {
      wanted_[i] = net::evaluate(real, std::span<const net::float_tensor>(given_[i]));
    });
  }

  // The squared errors of all outputs, each as a part of its squares: for every second sample, and
  // for the others.
  std::array<double, 2> errors(const quantised::graph& integers) const {
    const auto outputs = integers.outputs();
    std::vector<std::vector<std::array<double, 2>>> found(given_.size());
    for_all(given_.size(), threads_, [&](std::size_t i) {
      const auto feeds = quant::feeds_of(integers, given_[i], how_);
      const auto out = quantised::evaluate_any(integers, std::span<const quantised::feed>(feeds));
      for (std::size_t k = 0; k < out.size(); ++k) {
        const auto& node = integers[outputs[k]];
        found[i].push_back(squares(quantised::real_of(out[k], node.scale, node.zero).values,
                                   wanted_[i].at(k).values));
      }
    });
    std::array<double, 2> result{};
    for (std::size_t k = 0; k < outputs.size(); ++k)
      for (std::size_t half = 0; half < 2; ++half) {
        double error = 0, all = 0;
        for (std::size_t i = half; i < found.size(); i += 2)
          error += found[i][k][0], all += found[i][k][1];
        if (all > 0) result[half] += error / all;
      }
    return result;
  }
  double error(const quantised::graph& integers) const {
    const auto halves = errors(integers);
    return halves[0] + halves[1];
  }

 private:
  static std::array<double, 2> squares(const std::vector<float>& given,
                                       const std::vector<float>& wanted) {
    double error = 0, all = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double w{wanted[i]}, off = double{given[i]} - w;
      error += off * off, all += w * w;
    }
    return {error, all};
  }

  std::size_t threads_;
  std::optional<net::preprocessing> how_;
  std::vector<sample> given_{};
  std::vector<std::vector<net::float_tensor>> wanted_{};
};
// Brings channels to one range, as far as that makes the outputs clearly better. `calibrate(n)`
// gives the scales of a network and what its observers counted, `quantise(n)` its integers.
template <class Network, class Calibrate, class Quantise>
histograms equalise(Network& n, const quant::sample_stream& samples, const output_judge& judge,
                    const compile_options& options, const Calibrate& calibrate,
                    const Quantise& quantise) {
  quant::equaliser channels(n.graph, options.precision);
  if (channels.empty()) return calibrate(n);
  quant::evaluate_samples(n.graph, samples, options.threads,
                          [&](auto node, const net::float_tensor& t, std::size_t) {
                            channels.observe(node, t);
                          },
                          options.progress);
  channels.settle(options.threads);
  // The samples that the ranges hold flatter factors: less is nothing for other inputs.
  constexpr double worth = 2.0 / 3;
  auto best = n;
  auto counted = calibrate(best);
  double least = worth * judge.error(quantise(best));
  for (const double part : {0.5, 1.0}) try {
      auto tried = n;
      channels.run(tried.graph, part);
      auto seen = calibrate(tried);
      tried.scales.equalised = true;
      if (const double error = judge.error(quantise(tried)); error < least)
        best = std::move(tried), least = error, counted = std::move(seen);
    } catch (const error&) {
      // Scales that do not go together: it stays as it was.
    }
  n = std::move(best);
  return counted;
}
// Scales that make the outputs better: each in turn is tried smaller and larger, and stays so where
// that helps half of the samples by 0.1 % and does not harm the other half.
template <class Network, class Quantise>
void choose_scales(Network& n, const output_judge& judge, const compile_options& options,
                   const Quantise& quantise) {
  constexpr double worth = 0.999;
  const auto whole = quant::detail::compared(n.graph);
  std::set<std::string> kept;
  for (typename decltype(n.graph)::id i = 0; i < n.graph.size(); ++i)
    if (whole[i] || n.graph.inputs(i).empty() || quant::shared_factor(n.graph, i) ||
        options.precision(n.graph[i].name) != hw::precision::int8)
      kept.insert(n.graph[i].name);
  auto least = judge.errors(quantise(n));
  std::size_t done = 0;
  for (auto& e : n.scales.entries) {
    const double before = e.scale;
    for (const double by : {0.8, 1.25}) {
      if (kept.contains(e.layer)) break;
      const double taken = std::exchange(e.scale, before * by);
      std::array<double, 2> found = least;
      try {
        found = judge.errors(quantise(n));
      } catch (const error&) {
        // No scale for this layer.
      }
      if (found[0] < worth * least[0] && found[1] <= least[1]) least = found;
      else e.scale = taken;
    }
    options.choosing_scales(++done, n.scales.entries.size());
  }
}
// The scales of a network, by an effort channels of one range besides; `quantise(n)` as before.
template <class Network, class Source, class Quantise>
void choose_ranges(Network& n, const Source& network, const quant::sample_stream& samples,
                   const compile_options& options, const Quantise& quantise) {
  const auto calibrate = [&](auto& of) {
    histograms counted;
    auto how = options;
    how.histogram = [&](const std::string& layer, const quant::magnitudes& m) {
      counted.emplace_back(layer, m);
    };
    of.scales = quant::completed(detail::calibrated(of.graph, samples, how), options.known, network,
                                 of.graph, options.warn);
    return counted;
  };
  histograms counted;
  if (options.effort == 0) counted = calibrate(n);
  else {
    const output_judge judge(n.graph, samples, options);
    counted = equalise(n, samples, judge, options, calibrate, quantise);
    if (options.effort >= 3) choose_scales(n, judge, options, quantise);
  }
  for (const auto& [layer, m] : counted) options.histogram(layer, m);
}
// Chooses weights by samples, as many of the first ones as memory has room for.
template <class Graph>
void reconstruct(const Graph& g, quantised::graph& integers, const quant::known_filters& exact,
                 const quant::sample_stream& samples, const compile_options& options) {
  const auto most = quant::most_samples(g);
  std::vector<sample> kept;
  std::vector<std::vector<quantised::feed>> feeds;
  samples.each([&](const sample& s) {
    if (kept.size() >= most) return;
    feeds.push_back(quant::feeds_of(integers, s, options.preprocessing));
    kept.push_back(s);
  });
  quant::reconstruct(g, integers, exact, kept, feeds, options.threads, options.reconstructing);
}
template <class Divide, class Graph>
concept takes_refused = std::is_invocable_v<const Divide&, Graph&, std::vector<problem>>;

// In integers. `divide` brings functions that no table holds to the host, or refuses them.
template <class Graph, class Divide>
quantised::graph quantised(Graph& g, const quant::scale_table& scales,
                              const compile_options& options, const Divide& divide,
                              const quant::options::choice& faster, quant::known_filters& exact) {
  quant::options how{.precision = options.precision};
  if (options.effort >= 2)
    how.filters = [&](const std::string& layer, quant::exact_filters f) {
      exact.insert_or_assign(layer, std::move(f));
    };
  if (options.winograd != winograd_use::off && faster)
    how.winograd = [&](const auto& direct, const auto* pool, auto in, hw::precision p) {
      const bool narrow = p == hw::precision::int8;
      return (!narrow || options.winograd == winograd_use::all) && faster(direct, pool, in, p);
    };
  if (options.pixels) how.pixels = options.preprocessing;
  for (std::vector<problem> crooked;;) {
    try {
      return quant::quantise(g, scales, how);
    } catch (const quant::crooked_function& e) {
      if constexpr (!takes_refused<Divide, Graph>) throw;
      else {
        crooked.insert(crooked.end(), e.problems().begin(), e.problems().end());
        divide(g, crooked);
      }
    }
  }
}
inline bool uses_winograd(const quantised::graph& g) {
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (const auto* c = g.get_if<quantised::convolution>(n); c != nullptr && c->winograd)
      return true;
  return false;
}

}  // namespace detail

// The steps that no configuration changes: passes, calibration, quantisation. The pass observer
// sees the graph after every pass. `divide(graph)` or `divide(graph, refused)` may move operators
// to the host, with those that are `refused` by their tables at least, refuse the graph before it
// is calibrated, say of averages that they keep their scale, and fuse sums.
template <class Passes = pass::standard, class Observer = pass::silent, class Divide,
          class Operators>
auto prepare(const net::basic_graph<Operators>& network, const scale_source& source,
             const compile_options& options, Observer&& observer, Divide divide,
             const winograd_choice& winograd = {}) {
  detail::throw_if_any(net::verify(network));
  detail::check_effort(source, options);
  detail::prepared_of<net::basic_graph<Operators>> n{};
  n.graph = network;
  if (options.pixels && options.preprocessing && !(options.precision == hw::precision::fp16))
    quant::drop_idle_clips(n.graph, *options.preprocessing);
  Passes::run(n.graph, without_steps(options.without), observer);
  if constexpr (detail::takes_refused<Divide, decltype(n.graph)>)
    divide(n.graph, std::vector<problem>());
  else divide(n.graph);
  observer.template after<pass::fuse_sum>(n.graph);
  const auto warn = [&](const std::vector<problem>& found) {
    if (!options.warn) return;
    for (const auto& p : found) options.warn(p);
  };
  quant::known_filters exact, exact_direct;
  if (const auto* table = std::get_if<quant::scale_table>(&source)) {
    n.scales = quant::adopt(*table, network, n.graph, options.warn);
  } else {
    quant::uniformity seen;
    detail::choose_ranges(n, network, detail::watched(source, seen), options, [&](auto& of) {
      return detail::quantised(of.graph, of.scales, options, divide, winograd.layer, exact);
    });
    warn(quant::uniform_inputs(n.graph, seen));
  }
  n.integers = detail::quantised(n.graph, n.scales, options, divide, winograd.layer, exact);
  if (winograd.whole && detail::uses_winograd(n.integers)) {
    auto direct = detail::quantised(n.graph, n.scales, options, divide, {}, exact_direct);
    if (!winograd.whole(n.integers, direct))
      n.integers = std::move(direct), exact = std::move(exact_direct);
  }
  if (quant::uniformity again; options.effort >= 2)
    detail::reconstruct(n.graph, n.integers, exact, detail::watched(source, again), options);
  warn(quant::beyond_fp16(n.graph, n.scales, options.precision));
  warn(quant::vanishing_weights(n.graph, n.integers));
  return n;
}

}  // namespace nvdlac
