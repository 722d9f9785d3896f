// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a trained network to integers: what no configuration changes.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/compile_steps.hpp>
#include <nvdlac/host/choice.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/hidden_table.hpp>
#include <nvdlac/lower/image_input.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/join_gates.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/prepared.hpp>
#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/correct_biases.hpp>
#include <nvdlac/quant/doubts.hpp>
#include <nvdlac/quant/drift.hpp>
#include <nvdlac/quant/effort.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quant/inputs.hpp>
#include <nvdlac/quant/lookup.hpp>
#include <nvdlac/quant/observer.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quant/reconstruct.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/sample_stream.hpp>
#include <nvdlac/quant/scale_pixels.hpp>
#include <nvdlac/quant/weak_outputs.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac {

// The judges of where Winograd's mode is faster.
struct winograd_choice {
  quant::options::choice layer{};  // of a convolution alone; without it, none runs in the mode
  // Whether the network is faster with those of the mode than without; without it, it is.
  std::function<bool(const quantised::graph& with, const quantised::graph& without)> whole{};
};

// Tells for each layer of the network in which order it adds, if it reads an image (fp16).
using image_choice = std::function<std::vector<quantised::image_order>(const quantised::graph&)>;

// Tells the shifts that convolutions of the network must have in common to be one, of those that
// are faster so.
using sibling_choice = std::function<quant::shifts_of_layers(const quantised::graph&)>;

namespace detail {

// The samples of a source that is no table, seen as well by `seen`.
inline quant::sample_stream watched(const scale_source& source, quant::seen_inputs& seen) {
  if (const auto* all = std::get_if<std::span<const sample>>(&source))
    return {all->size(), [samples = *all, &seen](const auto& visit) {
              for (const auto& s : samples) {
                seen.observe(s);
                visit(s);
              }
            }};
  const auto& stream = std::get<quant::sample_stream>(source);
  return {stream.size, [&stream, &seen](const auto& visit) {
            stream.each([&](const sample& s) {
              seen.observe(s);
              visit(s);
            });
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
// Magnitudes that observers counted, by the names of layers.
using histograms = std::vector<std::pair<std::string, quant::magnitudes>>;

// Sets the scales of `of`, which the passes made of `network`.
template <class Network, class Source>
histograms calibrate(Network& of, const Source& network, const quant::sample_stream& samples,
                     const compile_options& options) {
  histograms counted;
  auto how = options;
  how.histogram = [&](const std::string& layer, const quant::magnitudes& m) {
    counted.emplace_back(layer, m);
  };
  of.scales = quant::completed(detail::calibrated(of.graph, samples, how), options.known, network,
                               of.graph, options.warn);
  return counted;
}
// Samples with the feeds of the integer network for each.
struct kept_samples {
  std::vector<sample> real{};
  std::vector<std::vector<quantised::feed>> feeds{};

  void keep(const sample& s, const quantised::graph& integers, const compile_options& options) {
    feeds.push_back(quant::feeds_of(integers, s, options.preprocessing));
    real.push_back(s);
  }
};
// Chooses weights by samples, as many of the first ones as memory has room for.
template <class Graph>
void reconstruct(const Graph& g, quantised::graph& integers, const quant::known_filters& exact,
                 const quant::sample_stream& samples, const compile_options& options) {
  const auto most = quant::most_samples(g);
  kept_samples kept;
  samples.each([&](const sample& s) {
    if (kept.real.size() < most) kept.keep(s, integers, options);
  });
  quant::reconstruct(g, integers, exact, kept.real, kept.feeds, options.threads,
                     options.reconstructing);
}
inline void forget_drift(quant::scale_table& scales) {
  for (auto& e : scales.entries) e.drift.clear();
}
inline bool corrects_biases(const compile_options& options) {
  return !options.without.contains(std::string(quant::correct_biases::name));
}
// Lets the biases of n take back what sums of its integers exceed float's by, and notes it in the
// scales, where that makes the outputs for other samples clearly better and none worse.
// `finish(n, &exact)` makes the integers.
template <class Network, class Finish>
void correct_biases(Network& n, quant::known_filters& exact, const quant::sample_stream& samples,
                    const compile_options& options, const Finish& finish) {
  if (!corrects_biases(options) || exact.empty() ||
      !options.precision.is_all(hw::precision::int8) ||
      !quant::tells_drift(n.integers, samples.size))
    return;
  kept_samples kept;
  std::vector<sample> others;
  std::size_t seen = 0;
  quant::spread_over(samples, 2 * quant::samples_of_drift).each([&](const sample& s) {
    if (seen++ % 2 == 0) kept.keep(s, n.integers, options);
    else others.push_back(s);
  });
  const auto drift = quant::drift_of(n.graph, n.integers, exact, kept.real, kept.feeds,
                                     options.threads);
  if (drift.empty()) return;
  const quant::output_judge judge(n.graph, quant::stream_of(others), options.preprocessing,
                                  options.threads);
  const auto before = judge.errors(n.integers);
  auto plain = std::move(n.integers);
  auto plain_filters = std::exchange(exact, {});
  auto plain_scales = n.scales;
  for (auto& e : n.scales.entries)
    if (const auto more = drift.find(e.layer); more != drift.end()) {
      e.drift.resize(more->second.size());
      for (std::size_t k = 0; k < e.drift.size(); ++k) e.drift[k] += more->second[k];
    }
  try {
    finish(n, &exact);
    if (quant::is_clearly_better(before, judge.errors(n.integers))) return;
  } catch (const error&) {
    // Biases that no step holds: they stay as they were.
  }
  n.integers = std::move(plain);
  exact = std::move(plain_filters);
  n.scales = std::move(plain_scales);
}

// Better numbers for a network that has those of no effort, as far as the outputs are clearly
// better by them for samples that did not choose them, and none worse; what is not taken is told.
// `quantise(n, &exact)` gives the integers of a network, `finish(n, exact, samples)` sets them as
// they stay.
template <class Network, class Source, class Quantise, class Finish>
std::vector<problem> improve(Network& n, quant::known_filters& exact, histograms& counted,
                             const Source& network, const quant::sample_stream& samples,
                             const compile_options& options, const Quantise& quantise,
                             const Finish& finish) {
  const auto parts = quant::divided(samples);
  const auto judge_by = [&](const quant::sample_stream& some) {
    return quant::output_judge(n.graph, some, options.preprocessing, options.threads);
  };
  const auto judge = judge_by(parts.held_back);
  const auto calibrate = [&](Network& of) {
    return detail::calibrate(of, network, parts.chosen_by, options);
  };
  const auto in_integers = [&](Network& of) { return quantise(of, nullptr); };
  auto scaled = n;  // and measured anew: drift is of the scales that it was found with
  forget_drift(scaled.scales);
  const auto plain = scaled.scales;
  auto seen = quant::equalise(scaled, parts.chosen_by, judge, options.precision, options.threads,
                              calibrate, in_integers, options.progress);
  if (options.effort >= 3)
    quant::choose_scales(scaled, judge_by(parts.chosen_by), options.precision, in_integers,
                         options.choosing_scales);
  const bool has_scales = scaled.scales != plain, has_weights = options.effort >= 2;
  const auto before = judge.errors(n.integers);
  struct part {
    bool scales = false, weights = false;
    const char* what = "";
  };
  std::vector<problem> doubts;  // of the first
  const char* taken = "none of its numbers is taken";
  for (const auto& p : {part{true, true}, part{false, true, "only its weights are taken"},
                        part{true, false, "only its scales are taken"}}) {
    if ((p.scales && !has_scales) || (p.weights && !has_weights)) continue;
    auto tried = p.scales ? scaled : n;
    auto filters = exact;
    if (p.scales) {
      filters.clear();
      finish(tried, filters, parts.chosen_by);
    }
    if (p.weights) reconstruct(tried.graph, tried.integers, filters, parts.chosen_by, options);
    const auto after = judge.errors(tried.integers);
    const bool is_better = quant::is_clearly_better(before, after);
    if (doubts.empty() && !is_better) {
      doubts = quant::worse_outputs(n.integers, before, after);
      if (doubts.empty()) doubts.push_back({.remedy = quant::more_samples});
    }
    if (!is_better) continue;
    n = std::move(tried);
    exact = std::move(filters);
    taken = p.what;
    if (p.scales && seen) counted = std::move(*seen);
    break;
  }
  for (auto& d : doubts)
    d.reason = text("an effort of ", options.effort, " makes ",
                    d.layer.empty() ? "no output clearly better" : "this output worse", " for ",
                    judge.samples(), " calibration samples that it holds back",
                    d.layer.empty() ? "" : text(" (", d.reason, ')'), ": ", taken);
  return doubts;
}

// Attributes problems to the layers that users know, which have these names: those that passes made
// of one have its name before a stroke.
std::vector<problem> of_own_layers(const std::vector<std::string>& names,
                                   const std::vector<problem>& found);

// Returns f(); its problems are of layers that users know, which have these names, and propose what
// the options do.
template <class F>
auto on_own_layers(const std::vector<std::string>& names, const compile_options& options,
                   const F& f) {
  try {
    return f();
  } catch (const error& e) {
    const error own(of_own_layers(names, e.problems()));
    throw options.proposing ? options.proposing(own) : own;
  }
}
template <class Graph>
std::vector<std::string> names_of_layers(const Graph& g) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < g.size(); ++n) names.push_back(g[n].name);
  return names;
}

template <class Divide, class Graph>
concept takes_refused = std::is_invocable_v<const Divide&, Graph&, std::vector<problem>>;

// Joins gates of int8 where tables of all configurations have functions, or else the host computes
// them, but for layers that the options name.
template <class Graph>
void join_gates(Graph& g, const compile_options& options,
                std::span<const hw::spec* const> configurations) {
  const bool has_tables = !configurations.empty() &&
                          std::ranges::all_of(configurations, &hw::spec::sdp_lut);
  const bool on_host = options.host.what == host::choice::kind::all && !options.approximate;
  if (!has_tables && !on_host) return;
  if (options.without.contains(std::string(pass::join_gates::name))) return;
  const auto may = [&](const std::string& layer) {
    const auto& named = options.host.names;
    return options.precision(layer) == hw::precision::int8 &&
           std::ranges::find(named, layer) == named.end();
  };
  const auto hides = [&](const net::convolution& op, net::shape in, net::shape out) {
    return has_tables && std::ranges::all_of(configurations, [&](const hw::spec* on) {
             return lower::hides_a_table(*on, op, in, out);
           });
  };
  const auto saves = [&](net::shape of, std::size_t joints) {
    return has_tables && std::ranges::all_of(configurations, [&](const hw::spec* on) {
             return lower::looks_up_for_less(*on, of, joints);
           });
  };
  pass::join_gates::run(g, may, hides, saves);
}

// In integers, with the exact filters if they are wanted. `divide` brings functions that no table
// holds to the host, or refuses them.
template <class Graph, class Divide>
quantised::graph quantised(Graph& g, const quant::scale_table& scales,
                              const compile_options& options, const Divide& divide,
                              const quant::options::choice& faster, quant::known_filters* exact,
                              quant::shifts_of_layers shifts = {}) {
  quant::options how{.precision = options.precision, .shifts = std::move(shifts)};
  if (exact != nullptr)
    how.filters = [&](const std::string& layer, quant::exact_filters f) {
      if (options.effort < 2) f.weights = {};  // which are only chosen then
      exact->insert_or_assign(layer, std::move(f));
    };
  if (options.winograd != winograd_use::off && faster)
    how.winograd = [&](const auto& direct, const auto* pool, auto in, hw::precision p) {
      const bool narrow = p == hw::precision::int8;
      return (!narrow || options.winograd == winograd_use::all) && faster(direct, pool, in, p);
    };
  if (options.pixels) how.pixels = options.preprocessing;
  how.scale_pixels = !options.without.contains(std::string(quant::scale_pixels::name));
  how.scale_filters = !options.without.contains(std::string(quant::scale_filters::name));
  for (std::vector<problem> misfits;;) {
    try {
      return quant::quantise(g, scales, how);
    } catch (const quant::table_misfit& e) {
      misfits.insert(misfits.end(), e.problems().begin(), e.problems().end());
      divide(g, misfits);
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
             const compile_options& given, Observer&& observer, Divide divide,
             const winograd_choice& winograd = {}, const sibling_choice& siblings = {},
             const image_choice& images = {}) {
  const auto options = callable(given);
  detail::throw_if_any(net::verify(network));
  detail::check_effort(source, options);
  detail::prepared_of<net::basic_graph<Operators>> n{};
  n.graph = network;
  const auto names = detail::names_of_layers(network);
  const auto divide_own = [&](auto& g, const std::vector<problem>& refused) {
    detail::on_own_layers(names, options, [&] {
      if constexpr (detail::takes_refused<Divide, std::remove_reference_t<decltype(g)>>) {
        divide(g, refused);
      } else {
        detail::throw_if_any(refused);
        divide(g);
      }
    });
  };
  detail::on_own_layers(names, options, [&] {
    Passes::run(n.graph, without_steps(options.without), observer);
  });
  divide_own(n.graph, {});
  if (options.pixels && options.preprocessing)
    quant::drop_idle_clips(n.graph, *options.preprocessing, options.precision,
                           !options.without.contains(std::string(quant::scale_pixels::name)));
  observer.template after<pass::fuse_sum>(n.graph);
  const auto warn = [&](const std::vector<problem>& found) {
    if (!options.warn) return;
    for (const auto& p : found) options.warn(p);
  };
  const auto quantise = [&](auto& of, quant::known_filters* exact) {
    return detail::quantised(of.graph, of.scales, options, divide_own, winograd.layer, exact);
  };
  const auto finish = [&](auto& of, quant::known_filters* exact) {
    of.integers = quantise(of, exact);
    auto in_winograd = winograd.layer;
    if (winograd.whole && detail::uses_winograd(of.integers)) {
      quant::known_filters exact_direct;
      auto direct = detail::quantised(of.graph, of.scales, options, divide_own, {},
                                      exact != nullptr ? &exact_direct : nullptr);
      if (!winograd.whole(of.integers, direct)) {
        of.integers = std::move(direct);
        in_winograd = {};
        if (exact != nullptr) *exact = std::move(exact_direct);
      }
    }
    if (auto shifts = siblings ? siblings(of.integers) : quant::shifts_of_layers{};
        !shifts.empty())
      of.integers = detail::quantised(of.graph, of.scales, options, divide_own, in_winograd, exact,
                                      std::move(shifts));
    if (images && !options.without.contains(std::string(lower::image_input::name)))
      lower::take_image_orders(of.integers, images(of.integers));
  };
  const auto correct = [&](auto& of, quant::known_filters& exact,
                           const quant::sample_stream& samples) {
    if (!detail::corrects_biases(options)) detail::forget_drift(of.scales);
    finish(of, &exact);
    detail::correct_biases(of, exact, samples, options, finish);
  };
  if (const auto* table = std::get_if<quant::scale_table>(&source)) {
    n.scales = quant::adopt(*table, network, n.graph, options.warn);
    if (!detail::corrects_biases(options)) detail::forget_drift(n.scales);
    finish(n, nullptr);
  } else {
    quant::known_filters exact;
    quant::seen_inputs seen, again;
    auto counted = detail::calibrate(n, network, detail::watched(source, seen), options);
    const auto samples = detail::watched(source, again);
    correct(n, exact, options.effort > 0 ? quant::divided(samples).chosen_by : samples);
    if (options.effort > 0)
      warn(detail::improve(n, exact, counted, network, samples, options, quantise, correct));
    for (const auto& [layer, m] : counted) options.histogram(layer, m);
    warn(quant::uniform_inputs(n.graph, seen));
    warn(quant::features_of_one_scale(n.graph, seen, options.precision));
    if (options.warn)
      warn(quant::weak_outputs(n.graph, n.integers, seen.kept, options.preprocessing,
                               options.precision, options.threads));
  }
  warn(quant::coarse_parts(n.graph, n.scales, n.integers, options.precision));
  warn(quant::beyond_fp16(n.graph, n.scales, options.precision));
  warn(quant::coarse_softmaxes(n.graph, n.scales, options.precision));
  warn(quant::vanishing_weights(n.graph, n.integers));
  return n;
}

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/prepare.ipp>
#else
namespace nvdlac {

// The steps that networks without operators of the user's own go through: nvdlac::common has them.
// What is missing in the list is compiled where it is used.
#define NVDLAC_STANDARD_STEPS(TEMPLATE)                                                           \
  TEMPLATE class net::basic_graph<net::standard_operators>;                                       \
  TEMPLATE class net::basic_graph<quantised::operators>;                                          \
  TEMPLATE std::vector<problem> net::verify(const net::graph&);                                   \
  TEMPLATE void net::infer_shapes(net::graph&, net::check_constants);                             \
  TEMPLATE void net::infer_shapes(quantised::graph&, net::check_constants);                       \
  TEMPLATE net::float_tensor net::evaluate_node(const net::graph&, net::graph::id,                \
                                                std::span<const net::float_tensor* const>,        \
                                                const net::float_tensor*);                        \
  TEMPLATE net::any_tensor quantised::evaluate_node(                                              \
      const quantised::graph&, quantised::graph::id, std::span<const net::any_tensor* const>,     \
      const quantised::feed*, quantised::mac_order);                                              \
  TEMPLATE std::vector<problem> host::partition(net::graph&, const host::choice&,                 \
                                                const std::vector<problem>&);                     \
  TEMPLATE void pass::approximate::run(net::graph&);                                              \
  TEMPLATE void pass::join_gates::run(net::graph&, const pass::join_gates::choice&,               \
                                      const pass::join_gates::hiding&,                            \
                                      const pass::join_gates::saving&);                           \
  TEMPLATE void pass::join_slices::run(net::graph&);                                              \
  TEMPLATE void pass::merge_selections::run(net::graph&);                                         \
  TEMPLATE void pass::constant_channels::run(net::graph&);                                        \
  TEMPLATE void pass::repeat_last::run(net::graph&);                                              \
  TEMPLATE void pass::compose_convolutions::run(net::graph&);                                     \
  TEMPLATE void pass::join_branches::run(net::graph&);                                            \
  TEMPLATE void pass::fold_windows::run(net::graph&);                                             \
  TEMPLATE void pass::merge_blocks::run(net::graph&);                                             \
  TEMPLATE void pass::chain_pools::run(net::graph&);                                              \
  TEMPLATE void pass::part_outputs::run(net::graph&);                                             \
  TEMPLATE void pass::separate_deconvolution::run(net::graph&);                                   \
  TEMPLATE void pass::select_first::run(net::graph&);                                             \
  TEMPLATE void pass::split_deconvolution::run(net::graph&);                                      \
  TEMPLATE void pass::mean_last::run(net::graph&);                                                \
  TEMPLATE void pass::split_global_pool::run(net::graph&);                                        \
  TEMPLATE void pass::cut_cubes::run(net::graph&);                                                \
  TEMPLATE void pass::split_features::run(net::graph&);                                           \
  TEMPLATE void pass::split_maps::run(net::graph&);                                               \
  TEMPLATE void pass::split_windows::run(net::graph&);                                            \
  TEMPLATE void pass::split_kernels::run(net::graph&);                                            \
  TEMPLATE quant::scale_table detail::calibrated(const net::graph&, const quant::sample_stream&,  \
                                                 const compile_options&);                         \
  TEMPLATE quant::scale_table quant::adopt(const quant::scale_table&, const net::graph&,          \
                                           const net::graph&,                                     \
                                           const std::function<void(const problem&)>&);           \
  TEMPLATE quant::scale_table quant::completed(quant::scale_table, const quant::scale_table&,     \
                                               const net::graph&, const net::graph&,              \
                                               const std::function<void(const problem&)>&);       \
  TEMPLATE quantised::graph quant::quantise(const net::graph&, const quant::scale_table&,         \
                                            const quant::options&);                               \
  TEMPLATE quant::drift_of_layers quant::drift_of(                                                \
      const net::graph&, quantised::graph, const quant::known_filters&,                           \
      const std::vector<std::vector<net::float_tensor>>&,                                         \
      const std::vector<std::vector<quantised::feed>>&, std::size_t);                             \
  TEMPLATE quant::output_judge::output_judge(const net::graph&, const quant::sample_stream&,      \
                                             std::optional<net::preprocessing>, std::size_t);     \
  TEMPLATE class quant::equaliser<net::graph>;                                                    \
  TEMPLATE void quant::drop_idle_clips(net::graph&, const net::preprocessing&,                    \
                                       const net::layer_precisions&, bool);                       \
  TEMPLATE std::vector<problem> quant::uniform_inputs(const net::graph&,                          \
                                                      const quant::seen_inputs&);                 \
  TEMPLATE std::vector<problem> quant::features_of_one_scale(                                     \
      const net::graph&, const quant::seen_inputs&, const net::layer_precisions&);                \
  TEMPLATE std::vector<problem> quant::weak_outputs(                                              \
      const net::graph&, const quantised::graph&, std::span<const quant::sample_stream::sample>,  \
      const std::optional<net::preprocessing>&, const net::layer_precisions&, std::size_t);       \
  TEMPLATE std::vector<problem> quant::coarse_parts(const net::graph&, const quant::scale_table&, \
                                                    const quantised::graph&,                      \
                                                    const net::layer_precisions&);                \
  TEMPLATE std::vector<problem> quant::beyond_fp16(const net::graph&, const quant::scale_table&,  \
                                                   const net::layer_precisions&);                 \
  TEMPLATE std::vector<problem> quant::coarse_softmaxes(const net::graph&,                        \
                                                        const quant::scale_table&,                \
                                                        const net::layer_precisions&);            \
  TEMPLATE std::vector<problem> quant::vanishing_weights(const net::graph&,                       \
                                                         const quantised::graph&)
NVDLAC_STANDARD_STEPS(extern template);

}  // namespace nvdlac
#endif
