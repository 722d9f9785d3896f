// SPDX-License-Identifier: Apache-2.0
#pragma once
// From integers to the program of one configuration, and the whole way in one step.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/pool.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/lower/siblings.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/compress.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/keep.hpp>
#include <nvdlac/schedule/search.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac {

namespace detail {

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
// The memory for which a program is made.
template <hw::hardware Hw>
cost::memory memory_for(const compile_options& options) {
  return options.memory.value_or(cost::memory_of(Hw::spec, options.cvsram));
}
// How layers are made as they are told: as the program has them, and without the contents of the
// weights, which is quick, to be judged.
struct layer_makers {
  schedule::draft::relowering whole{}, quick{};
};
// Layers with a schedule of them.
template <hw::hardware Hw, schedule::policy Policy>
class scheduling {
 public:
  scheduling(plan::lowered l, bool is_compressed, const compile_options& options,
             layer_makers makers)
      : layers_(std::move(l)), makers_(std::move(makers)), memory_(memory_for<Hw>(options)) {
    if (options.schedule) choices_ = options.schedule->choices;
    else if (!options.without.contains(std::string(schedule::order::name)))
      choices_ = Policy{}(draft());
    choices_.compressed = is_compressed;
    make_as_chosen();
  }
  std::uint64_t cycles() const { return draft().price(choices_).cycles; }

  plan::lowered run(const compile_options& options) && {
    const auto file = options.schedule ? options.schedule->file : std::string();
    (void)draft().numbered(choices_, file);
    std::optional<schedule::price> before;
    if (options.optimize != 0) {
      if (options.for_traces) memory_.weights_ahead = cost::kernels_ahead::as_there_is_time;
      auto found = schedule::search(draft(), choices_, {.trials = options.optimize,
                                                  .threads = options.threads,
                                                  .layers = !choices_.compressed,
                                                  .told = options.searching});
      choices_ = std::move(found.choices), before = found.before;
      make_as_chosen();
    }
    const auto d = draft();
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
  schedule::draft draft() const { return {Hw::spec, layers_, memory_, makers_.quick}; }
  void make_as_chosen() {
    if (layers_.told != choices_.lowering) layers_ = makers_.whole(choices_.lowering);
  }

  plan::lowered layers_;
  layer_makers makers_;
  cost::memory memory_{};
  schedule::choices choices_{};
};
// The layers as they shall run: compressed where that does not make the whole slower, or where the
// schedule that is given says so.
template <hw::hardware Hw, schedule::policy Policy>
plan::lowered scheduled(plan::lowered layers, const compile_options& options,
                        const layer_makers& makers) {
  const auto* const given = given_schedule<Hw>(options);
  const bool wanted = given ? given->choices.compressed
                            : !options.without.contains(std::string(schedule::compress::name));
  plan::lowered compressed;
  if (Hw::spec.weight_compression && wanted) compressed = layers;
  const auto compress = [memory = memory_for<Hw>(options)](plan::lowered& l) {
    return schedule::compress::run<Hw>(l, memory);
  };
  const bool compresses = !compressed.layers.empty() && compress(compressed);
  if (given && wanted && !compresses)
    throw error({.file = given->file, .reason = "compresses weights, which is not possible here",
                 .remedy = "make the schedule anew with these options"});
  if (!compresses)
    return scheduling<Hw, Policy>(std::move(layers), false, options, makers).run(options);
  const auto make_packed = [&](const plan::lowering_choices& told) {
    auto l = makers.whole(told);
    compress(l);
    return l;
  };
  scheduling<Hw, Policy> packed(std::move(compressed), true, options, {make_packed, make_packed});
  if (given) return std::move(packed).run(options);
  scheduling<Hw, Policy> plain(std::move(layers), false, options, makers);
  return std::move(packed.cycles() > plain.cycles() ? plain : packed).run(options);
}
// Options by which programs are compared: each with the schedule of the policy.
inline compile_options without_search(compile_options options) {
  options.optimize = 0, options.schedule.reset(), options.scheduled = {};
  return options;
}
template <hw::hardware Hw>
std::uint64_t predicted_cycles(const plan::program<Hw>& p, const compile_options& options) {
  auto memory = memory_for<Hw>(options);
  memory.weights_ahead = cost::kernels_ahead::none;  // programs of any form are compared alike
  return cost::cycles<Hw>(p, memory).totals.cycles;
}
// How the pictures of a batch share layers so that they take the fewest cycles(how).
template <hw::hardware Hw, class Cycles>
lower::batch_of fastest_batch(const compile_options& options, const Cycles& cycles) {
  using enum lower::batch_mode_use;
  if (options.batch == 1) return {};
  const bool has_mode = Hw::spec.batch &&
                        !options.without.contains(std::string(lower::batch_mode::name));
  const auto mode = has_mode ? options.batch_mode : off;
  lower::batch_of best{options.batch, false, mode == forced ? forced : off};
  auto least = cycles(best);
  const auto attempt = [&](bool maps, lower::batch_mode_use use) {
    const lower::batch_of next{options.batch, maps, use};
    if (const auto now = cycles(next); now < least) best = next, least = now;
  };
  attempt(true, best.mode);
  if (mode == predicted)
    for (const auto use : {predicted, forced}) attempt(false, use), attempt(true, use);
  return best;
}
// The bytes of weights of a pass with which the program, which has so many, takes the fewest
// cycles(bytes): where not all have room in the secondary memory, some of a layer's may stand
// there. 0: of a layer.
template <class Cycles>
std::uint64_t fastest_pass_weights(const compile_options& options, std::uint64_t weights,
                                   const Cycles& cycles) {
  constexpr std::uint64_t most_passes = 64;  // beyond those of layers
  const auto& beside = options.cvsram;
  if (beside.bytes == 0 || !beside.weights || weights <= beside.bytes) return 0;
  std::uint64_t best = 0, least = cycles(best);
  for (const std::uint64_t parts : {4U, 8U, 16U}) {
    const auto size = beside.bytes / parts;
    if (size == 0 || weights / size > most_passes) break;
    if (const auto now = cycles(size); now < least) best = size, least = now;
  }
  return best;
}
// Siblings as they are predicted to be the fastest alone, each group with the standard schedule.
template <hw::hardware Hw>
std::vector<lower::sibling> siblings_of(const quantised::graph& integers,
                                        const compile_options& plain, lower::joining how) {
  const bool images = !plain.without.contains(std::string(lower::image_input::name));
  how.wanted = !plain.without.contains(std::string(lower::join_siblings::name));
  return lower::find_siblings<Hw>(
      integers, lower::find_poolings<Hw>(integers, images), images, how, [&](plan::lowered l) {
        return predicted_cycles(
            plan::make_program<Hw>(scheduled<Hw, schedule::standard>(std::move(l), plain, {})),
            plain);
      });
}
// The siblings that become one: those of a group that is predicted to be faster so by itself, but
// none if the whole, of which cycles(siblings) tells the predicted cycles, is not faster with all of
// them.
template <hw::hardware Hw, class Cycles>
std::vector<lower::sibling> fastest_siblings(const quantised::graph& integers,
                                             const compile_options& plain, const Cycles& cycles) {
  auto found = siblings_of<Hw>(integers, plain, {});
  auto apart = found;
  bool any = false;
  for (auto& s : apart)
    if (s.why == lower::lone::none) s.why = lower::lone::slower, any = true;
  return any && cycles(found) >= cycles(apart) ? apart : found;
}
// What nvdlac itself got wrong is not the user's error.
inline void throw_if_defect(const std::vector<problem>& found) {
  if (!found.empty()) throw std::logic_error(error(found).what());
}

}  // namespace detail

// Layers in their order, memory and dependencies; nothing is checked yet. Without the contents of
// the weights it is quick, and compresses none.
template <hw::hardware Hw, schedule::policy Policy = schedule::standard>
plan::program<Hw> planned(const quantised::graph& integers, const compile_options& options,
                          lower::contents weights = {}) {
  if (options.batch < 1 || options.batch > 1024)
    throw error(text("a batch of ", options.batch, " pictures: 1 to 1024 are possible"));
  const bool images = !options.without.contains(std::string(lower::image_input::name));
  std::vector<lower::sibling> siblings;
  const std::string file = options.schedule ? options.schedule->file : std::string();
  const auto maker = [&](lower::contents values, lower::batch_of batch) {
    return [&, values, batch](const plan::lowering_choices& told) {
      return lower::lower<Hw>(integers, options.network, values, batch, images, siblings, told,
                              file);
    };
  };
  const auto plain = detail::without_search(options);
  const auto cycles = [&](lower::batch_of batch, const plan::lowering_choices& told) {
    const auto quick = maker(lower::contents::none(), batch);
    return detail::predicted_cycles(plan::make_program<Hw>(detail::scheduled<Hw, Policy>(
        quick(told), plain, {quick, quick})), plain);
  };
  detail::check_cvsram<Hw>(options);
  siblings = detail::fastest_siblings<Hw>(
      integers, plain, [&](const std::vector<lower::sibling>& joined) {
        siblings = joined;
        return cycles({options.batch}, {});
      });
  const auto batch = detail::fastest_batch<Hw>(
      options, [&](lower::batch_of of) { return cycles(of, {}); });
  const detail::layer_makers makers{maker(weights, batch), maker(lower::contents::none(), batch)};
  plan::lowering_choices told;
  if (options.schedule) told = options.schedule->choices.lowering;
  else
    told.pass_weights = detail::fastest_pass_weights(
        options, makers.quick({}).weights_size,
        [&](std::uint64_t most) { return cycles(batch, {.pass_weights = most}); });
  auto layers = makers.whole(told);
  if (!layers.values_known) throw error("the network has weights of which only the size is known");
  auto program = plan::make_program<Hw>(
      detail::scheduled<Hw, Policy>(std::move(layers), options, makers));
  if (!options.without.contains(std::string(schedule::order::name)))
    schedule::bring_ahead<Hw>(detail::memory_for<Hw>(options), program);
  return program;
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

// The shifts that convolutions have to share so that they can be one, where that is faster.
template <hw::hardware Hw>
quant::shifts_of_layers shifts_of_siblings(const quantised::graph& integers,
                                           const compile_options& options) {
  const auto found = detail::siblings_of<Hw>(integers, detail::without_search(options),
                                             {.any_shifts = true});
  quant::shifts_of_layers shifts;
  for (const auto& s : found) {
    const auto group = lower::group_of(found, s.convolution);
    if (group.empty()) continue;
    quant::shared_shifts shared;
    for (const auto& each : group) {
      const auto& op = *integers.get_if<quantised::convolution>(each.convolution);
      shared.bias = std::max(shared.bias, op.bias_shift);
      shared.sums = std::min<std::uint8_t>(shared.sums, op.shift + op.out.shift);
    }
    shifts.emplace(integers[s.convolution].name, shared);
  }
  return shifts;
}

// The steps up to the integers for one NVDLA: what it cannot run is on the host, or refused. The
// passes are a pass::pipeline.
template <hw::hardware Hw, class Passes = pass::standard, class Operators>
auto prepare_for(const net::basic_graph<Operators>& network, const scale_source& source,
                 const compile_options& options) {
  static_assert(pass::runs_over<Passes, net::basic_graph<Operators>>,
                "nvdlac: the passes of compile<Hw, Passes> are a pass::pipeline, or a struct with "
                "its `run(graph, without, observer)`");
  const auto divide = [&](auto& g, std::vector<problem> refused) {
    if (options.approximate && !Hw::spec.sdp_lut) pass::approximate::run(g);
    for (auto& p : lower::check<Hw>(g, options.precision)) refused.push_back(std::move(p));
    detail::throw_if_any(host::partition(g, options.host, refused));
    lower::keep_scales<Hw>(g);
    if (!options.without.contains(std::string(pass::fuse_sum::name)))
      pass::fuse_sum::run(g, [&](auto convolution, auto sum) {
        return lower::adds_behind<Hw>(g, convolution, sum, options.precision);
      });
  };
  const winograd_choice winograd{
      [m = detail::memory_for<Hw>(options)](const auto& direct, const auto* pool, auto in,
                                            hw::precision p) {
        return lower::is_faster_in_winograd<Hw>(direct, pool, in, p, m);
      },
      [&](const auto& with, const auto& without) {
        return is_faster<Hw>(with, without, options);
      }};
  const auto siblings = [&](const quantised::graph& g) {
    return shifts_of_siblings<Hw>(g, options);
  };
  if constexpr (std::is_same_v<Passes, pass::standard> &&
                std::is_same_v<net::basic_graph<Operators>, net::graph>)
    return prepare_standard(network, source, options, divide, winograd, siblings);
  else
    return prepare<Passes>(network, source, options, pass::silent{}, divide, winograd, siblings);
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
