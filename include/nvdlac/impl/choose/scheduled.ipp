// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/compress.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/search.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

namespace detail {

// A memory that gives nothing has no cycles to compare.
template <class Memory>
void check_memory(const Memory& m, std::string_view option) {
  for (const auto& [name, value] : {std::pair{"width", m.width},
                                    std::pair{"outstanding", m.outstanding}})
    if (value == 0)
      throw error(problem{.reason = text(option, '.', name, " is 0: such a memory gives nothing"),
                          .remedy = "begin with cost::memory_of(Hw::spec)"});
}

}  // namespace detail

NVDLAC_IMPL void check_memories(const lower::target& hw, const compile_options& options) {
  if (options.memory) detail::check_memory(*options.memory, "compile_options::memory");
  if (options.cvsram.bytes == 0) return;
  detail::check_memory(options.cvsram, "compile_options::cvsram");
  if (!hw.has_sram())
    throw error(problem{.reason = text(hw.name, " has no secondary memory (CVSRAM)"),
                        .remedy = "leave it out for this configuration: --cvsram is for those of "
                                  "`nvdlac configs` that list CVSRAM"});
  if (options.without.contains(std::string(schedule::order::name)))
    throw error(problem{.reason = "without the step 'order' nothing is placed in CVSRAM",
                        .remedy = "leave that step in"});
}

NVDLAC_IMPL cost::memory memory_for(const hw::spec& hw, const compile_options& options) {
  return options.memory.value_or(cost::memory_of(hw, options.cvsram));
}

NVDLAC_IMPL lower::target with_memory(lower::target hw, const cost::memory& m) {
  const auto bytes = std::clamp<std::uint64_t>(m.width, 1, hw.dram.width_bits / 8);
  hw.dram.width_bits = static_cast<std::uint32_t>(8 * bytes);
  return hw;
}

namespace detail {

// The given schedule; nullptr: a policy chooses.
NVDLAC_IMPL const schedule::saved* given_schedule(const lower::target& hw,
                                                  const compile_options& options) {
  if (options.without.contains(std::string(schedule::order::name)) &&
      (options.schedule || options.optimize != 0))
    throw error(problem{
        .reason = "without the step 'order' there is no schedule to give or to improve",
        .remedy = "leave that step in"});
  if (!options.schedule) return nullptr;
  const auto& s = *options.schedule;
  if (s.configuration != hw.name)
    throw error({.file = s.file,
                 .reason = text("is a schedule for ", s.configuration, ", not for ",
                                hw.name),
                 .remedy = "make one for this configuration"});
  if (s.network != options.network && options.warn)
    options.warn({.file = s.file, .reason = text("is the schedule of a network called ", s.network,
                                                 ", not ", options.network)});
  return &s;
}

// Layers with a schedule of them.
class scheduling {
 public:
  scheduling(const lower::target& hw, scheduler policy, plan::lowered l, bool is_compressed,
             const compile_options& options, layer_makers makers)
      : hw_(hw), layers_(std::move(l)), makers_(std::move(makers)),
        memory_(memory_for(hw, options)) {
    if (options.schedule) choices_ = options.schedule->choices;
    else if (!options.without.contains(std::string(schedule::order::name)))
      choices_ = policy(draft());
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
                                                  .progress = options.searching});
      choices_ = std::move(found.choices);
      before = found.before;
      make_as_chosen();
    }
    const auto d = draft();
    if (options.scheduled) {
      const auto now = d.price(choices_);
      options.scheduled({.network = options.network, .configuration = std::string(hw_.name),
                         .choices = choices_},
                        now, before.value_or(now));
    }
    schedule::order::apply(d, choices_, layers_);
    return std::move(layers_);
  }

 private:
  schedule::draft draft() const { return {hw_, layers_, memory_, makers_.quick}; }
  void make_as_chosen() {
    if (layers_.given != choices_.lowering) layers_ = makers_.whole(choices_.lowering);
  }

  lower::target hw_;
  plan::lowered layers_;
  layer_makers makers_;
  cost::memory memory_{};
  schedule::choices choices_{};
};

}  // namespace detail

NVDLAC_IMPL plan::lowered scheduled(const lower::target& hw, scheduler policy,
                                    plan::lowered layers, const compile_options& options,
                                    const layer_makers& makers) {
  const auto* const given = detail::given_schedule(hw, options);
  const bool wanted = given ? given->choices.compressed
                            : !options.without.contains(std::string(schedule::compress::name));
  plan::lowered compressed;
  if (hw.weight_compression && wanted) compressed = layers;
  const auto compress = [&hw, memory = memory_for(hw, options)](plan::lowered& l) {
    return schedule::compress::run(hw, l, memory);
  };
  const bool compresses = !compressed.layers.empty() && compress(compressed);
  if (given && wanted && !compresses)
    throw error({.file = given->file, .reason = "compresses weights, which is not possible here",
                 .remedy = "make the schedule anew with these options"});
  if (!compresses)
    return detail::scheduling(hw, policy, std::move(layers), false, options, makers).run(options);
  const auto make_packed = [&](const plan::lowering_choices& given_choices) {
    auto l = makers.whole(given_choices);
    compress(l);
    return l;
  };
  std::vector<detail::scheduling> all;
  all.emplace_back(hw, policy, std::move(compressed), true, options,
                   layer_makers{make_packed, make_packed});
  if (!given) all.emplace_back(hw, policy, std::move(layers), false, options, makers);
  return best(std::move(all), [](const auto& s) { return s.cycles(); }).run(options);
}

}  // namespace nvdlac::choose
