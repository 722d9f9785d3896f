// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/check.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/pool.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/equalise.hpp>
#include <nvdlac/quant/inputs.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quant/reconstruct.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/compress.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/search.hpp>
#include <nvdlac/schedule/standard.hpp>

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
// Brings channels to one range, as far as the samples show one.
template <class Graph>
bool equalise(Graph& g, const quant::sample_stream& samples, const compile_options& options) {
  quant::equaliser<Graph> channels(g);
  if (options.effort < 1 || channels.empty()) return false;
  quant::evaluate_samples(g, samples, options.threads,
                          [&](auto n, const net::float_tensor& t, std::size_t) {
                            channels.observe(n, t);
                          },
                          options.progress);
  channels.run(g);
  return true;
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
// A secondary memory that the configuration has, and of which the schedule decides.
template <hw::hardware Hw>
void check_cvsram(const compile_options& options) {
  if (options.cvsram.bytes == 0) return;
  if (!Hw::spec.has_sram())
    throw error(problem{.reason = text(hw::name<Hw>(), " has no secondary memory (CVSRAM)"),
                        .remedy = "leave it out for this configuration: --cvsram is for those of "
                                  "`nvdlac configs` that list CVSRAM"});
  if (options.without.contains(std::string(schedule::order::name)))
    throw error(problem{.reason = "without the step 'order' nothing is placed in CVSRAM",
                        .remedy = "leave that step in"});
}
// The schedule that is given; nullptr: a policy chooses.
template <hw::hardware Hw>
const schedule::saved* given_schedule(const compile_options& options) {
  if (options.without.contains(std::string(schedule::order::name)) &&
      (options.schedule || options.optimize != 0))
    throw error(problem{
        .reason = "without the step 'order' there is no schedule to give or to improve",
        .remedy = "leave that step in"});
  if (!options.schedule) return nullptr;
  const auto& s = *options.schedule;
  if (s.configuration != hw::name<Hw>())
    throw error({.file = s.file,
                 .reason = text("is a schedule for ", s.configuration, ", not for ",
                                hw::name<Hw>()),
                 .remedy = "make one for this configuration"});
  if (s.network != options.network && options.warn)
    options.warn({.file = s.file, .reason = text("is the schedule of a network called ", s.network,
                                                 ", not ", options.network)});
  return &s;
}
// Layers with a schedule of them.
template <hw::hardware Hw, schedule::policy Policy>
class scheduling {
 public:
  scheduling(plan::lowered l, bool is_compressed, const compile_options& options)
      : layers_(std::move(l)) {
    cvsram_ = options.cvsram;
    const auto d = draft();
    if (options.schedule) choices_ = options.schedule->choices;
    else if (!options.without.contains(std::string(schedule::order::name))) choices_ = Policy{}(d);
    choices_.compressed = is_compressed;
  }
  std::uint64_t cycles() const { return draft().price(choices_).cycles; }

  plan::lowered run(const compile_options& options) && {
    const auto d = draft();
    const auto file = options.schedule ? options.schedule->file : std::string();
    (void)d.numbered(choices_, file);
    std::optional<schedule::price> before;
    if (options.optimize != 0) {
      auto found = schedule::search(d, choices_, {.trials = options.optimize,
                                                  .threads = options.threads,
                                                  .told = options.searching});
      choices_ = std::move(found.choices), before = found.before;
    }
    if (options.scheduled) {
      const auto now = d.price(choices_);
      options.scheduled({.network = options.network, .configuration = std::string(hw::name<Hw>()),
                         .choices = choices_},
                        now, before.value_or(now));
    }
    schedule::order::apply(d, choices_, layers_);
    return std::move(layers_);
  }

 private:
  schedule::draft draft() const { return {Hw::spec, layers_, cvsram_}; }

  plan::lowered layers_;
  cost::cvsram cvsram_{};
  schedule::choices choices_{};
};
// The layers as they shall run: compressed where that does not make the whole slower, or where the
// schedule that is given says so.
template <hw::hardware Hw, schedule::policy Policy>
plan::lowered scheduled(plan::lowered layers, const compile_options& options) {
  check_cvsram<Hw>(options);
  const auto* const given = given_schedule<Hw>(options);
  const bool wanted = given ? given->choices.compressed
                            : !options.without.contains(std::string(schedule::compress::name));
  plan::lowered compressed;
  if (Hw::spec.weight_compression && wanted) compressed = layers;
  const bool compresses = !compressed.layers.empty() && schedule::compress::run<Hw>(compressed);
  if (given && wanted && !compresses)
    throw error({.file = given->file, .reason = "compresses weights, which is not possible here",
                 .remedy = "make the schedule anew with these options"});
  if (!compresses)
    return scheduling<Hw, Policy>(std::move(layers), false, options).run(options);
  scheduling<Hw, Policy> packed(std::move(compressed), true, options);
  if (given) return std::move(packed).run(options);
  scheduling<Hw, Policy> plain(std::move(layers), false, options);
  return std::move(packed.cycles() > plain.cycles() ? plain : packed).run(options);
}
// Options by which programs are compared: each with the schedule of the policy.
inline compile_options without_search(compile_options options) {
  options.optimize = 0, options.schedule.reset(), options.scheduled = {};
  return options;
}
template <hw::hardware Hw>
std::uint64_t predicted_cycles(const plan::program<Hw>& p, const compile_options& options) {
  return cost::cycles<Hw>(p, cost::memory_of(Hw::spec, options.cvsram)).totals.cycles;
}
// What nvdlac itself got wrong is not the user's error.
inline void throw_if_defect(const std::vector<problem>& found) {
  if (!found.empty()) throw std::logic_error(error(found).what());
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
  if (const auto* table = std::get_if<quant::scale_table>(&source)) {
    n.scales = quant::adopt(*table, network, n.graph, options.warn);
  } else {
    quant::uniformity seen;
    const auto samples = detail::watched(source, seen);
    const bool equalised = detail::equalise(n.graph, samples, options);
    n.scales = quant::completed(detail::calibrated(n.graph, samples, options), options.known,
                                network, n.graph, options.warn);
    n.scales.equalised = equalised;
    warn(quant::uniform_inputs(n.graph, seen));
  }
  quant::known_filters exact, exact_direct;
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

// Layers in their order, memory and dependencies; nothing is checked yet. Without the contents of
// the weights it is quick, and compresses none.
template <hw::hardware Hw, schedule::policy Policy = schedule::standard>
plan::program<Hw> planned(const quantised::graph& integers, const compile_options& options,
                          lower::contents weights = {}) {
  if (options.batch < 1 || options.batch > 1024)
    throw error(text("a batch of ", options.batch, " pictures: 1 to 1024 are possible"));
  const bool images = !options.without.contains(std::string(lower::image_input::name));
  const auto lowered = [&](lower::contents values, bool maps) {
    return lower::lower<Hw>(integers, options.network, values, {options.batch, maps}, images);
  };
  const auto cycles = [&, plain = detail::without_search(options)](bool maps) {
    return detail::predicted_cycles(plan::make_program<Hw>(detail::scheduled<Hw, Policy>(
        lowered(lower::contents::none(), maps), plain)), plain);
  };
  auto layers = lowered(weights, options.batch > 1 && cycles(true) < cycles(false));
  if (!layers.values_known) throw error("the network has weights of which only the size is known");
  return plan::make_program<Hw>(detail::scheduled<Hw, Policy>(std::move(layers), options));
}

// The steps for one NVDLA: layers, memory, dependencies; checked by code of their own.
template <hw::hardware Hw, schedule::policy Policy = schedule::standard>
plan::program<Hw> build(const quantised::graph& integers, const compile_options& options = {}) {
  auto program = planned<Hw, Policy>(integers, options);
  for (auto& input : program.inputs) input.preprocessing = options.preprocessing;
  detail::throw_if_defect(plan::validate(program));
  detail::throw_if_defect(plan::verify(program));
  return program;
}

// Whether the first takes fewer predicted cycles, each with the schedule of the standard policy.
template <hw::hardware Hw>
bool is_faster(const quantised::graph& a, const quantised::graph& b, compile_options options) {
  options = detail::without_search(std::move(options));
  const auto cycles = [&](const quantised::graph& g) {
    return detail::predicted_cycles(planned<Hw>(g, options, lower::contents::none()), options);
  };
  return cycles(a) < cycles(b);
}

// The steps up to the integers for one NVDLA: what it cannot run is on the host, or refused. The
// passes are a pass::pipeline.
template <hw::hardware Hw, class Passes = pass::standard, class Operators>
auto prepare_for(const net::basic_graph<Operators>& network, const scale_source& source,
                 const compile_options& options) {
  static_assert(pass::runs_over<Passes, net::basic_graph<Operators>>,
                "nvdlac: the passes of compile<Hw, Passes> are a pass::pipeline, or a struct with "
                "its `run(graph, without, observer)`");
  return prepare<Passes>(
      network, source, options, pass::silent{}, [&](auto& g, std::vector<problem> refused) {
        if (options.approximate && !Hw::spec.sdp_lut) pass::approximate::run(g);
        for (auto& p : lower::check<Hw>(g, options.precision)) refused.push_back(std::move(p));
        detail::throw_if_any(host::partition(g, options.host, refused));
        lower::keep_scales<Hw>(g);
        if (!options.without.contains(std::string(pass::fuse_sum::name)))
          pass::fuse_sum::run(g, [&](auto convolution, auto sum) {
            return lower::adds_behind<Hw>(g, convolution, sum, options.precision);
          });
      },
      {lower::is_faster_in_winograd<Hw>, [&](const auto& with, const auto& without) {
         return is_faster<Hw>(with, without, options);
       }});
}

// From a trained network to the program of one NVDLA, whose schedule a policy chooses. Throws
// nvdlac::error for what is wrong with the network or cannot run on Hw.
template <hw::hardware Hw, class Passes = pass::standard,
          schedule::policy Policy = schedule::standard, class Operators>
plan::program<Hw> compile(const net::basic_graph<Operators>& network, const scale_source& source,
                          const compile_options& options = {}) {
  return build<Hw, Policy>(prepare_for<Hw, Passes>(network, source, options).integers, options);
}

}  // namespace nvdlac
