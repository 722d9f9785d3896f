// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/maker.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/lower_graph.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/plan/lowering_choices.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/keep.hpp>
#include <nvdlac/schedule/quick.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

NVDLAC_IMPL compile_options without_search(compile_options options) {
  options.optimize = 0;
  options.schedule.reset();
  options.scheduled = {};
  return options;
}

namespace detail {

// Programs of any form are compared alike.
NVDLAC_IMPL cost::estimate estimated(const hw::spec& hw, const plan::program_data& p,
                                     const compile_options& options) {
  auto memory = memory_for(hw, options);
  memory.weights_ahead = cost::kernels_ahead::none;
  return cost::cycles(p.tasks, hw, memory);
}

}  // namespace detail

NVDLAC_IMPL std::uint64_t predicted_cycles(const hw::spec& hw, const plan::program_data& p,
                                           const compile_options& options) {
  return detail::estimated(hw, p, options).totals.cycles;
}

NVDLAC_IMPL const program_maker::draft& program_maker::draft_of(const candidate& c) const {
  const auto known = std::ranges::find(drafts_, c, &draft::of);
  if (known != drafts_.end()) return *known;
  const auto quick = lowering_of(c, lower::contents::none());
  auto program = plan::make_program(
      hw_, scheduled(hw_, policy_, quick(c.lowering), plain_, {quick, quick}));
  auto cost = detail::estimated(hw_, program, plain_);
  return drafts_.emplace_back(c, std::move(program), std::move(cost));
}

NVDLAC_IMPL std::uint64_t program_maker::cycles(const candidate& c) const {
  return draft_of(c).cost.totals.cycles;
}

NVDLAC_IMPL std::vector<std::uint64_t> program_maker::cycles_of(
    const candidate& c, std::span<const label> layers) const {
  const auto& [of, program, estimate] = draft_of(c);
  // Parts of a layer have its name before a stroke, those of a batch before the picture's number,
  // and several convolutions that are one before the names of the others.
  const auto is_of = [](std::string_view part, std::string_view layer) {
    constexpr std::string_view ends = "/@+";
    return part.starts_with(layer) &&
           (part.size() == layer.size() || ends.find(part[layer.size()]) != ends.npos);
  };
  std::vector<std::uint64_t> all(layers.size(), 0);
  auto cycles = estimate.layers.begin();
  for (const auto& t : program.tasks)
    for (const auto& o : t.operations) {
      std::size_t found = layers.size();
      for (std::size_t i = 0; i < layers.size(); ++i)
        if (is_of(o.layer.name, layers[i]) &&
            (found == layers.size() || layers[found].size() < layers[i].size()))
          found = i;
      if (found < layers.size()) all[found] += cycles->own();
      ++cycles;
    }
  return all;
}

NVDLAC_IMPL std::uint64_t program_maker::weights(const candidate& c) const {
  return lowering_of(c, lower::contents::none())(c.lowering).weights_size;
}

NVDLAC_IMPL std::vector<label> program_maker::foldable(const candidate& c) const {
  if (hw_.mac_atomic_c <= hw_.memory_atom) return {};
  return lowering_of(c, lower::contents::none())(c.lowering).foldable;
}

NVDLAC_IMPL std::vector<plan::split_convolution> program_maker::convolutions(
    const candidate& c) const {
  return lowering_of(c, lower::contents::none())(c.lowering).convolutions;
}

NVDLAC_IMPL plan::program_data program_maker::outline(const candidate& c,
                                                      std::size_t most_scheduled) const {
  auto layers = lowering_of(c, lower::contents::none())(c.lowering);
  const bool is_left_out = options_.without.contains(std::string(schedule::order::name));
  if (layers.layers.size() <= most_scheduled && !is_left_out)
    schedule::quick::run(hw_, layers, memory_for(hw_, options_));
  return plan::make_program(hw_, std::move(layers));
}

NVDLAC_IMPL plan::program_data program_maker::scheduled_program(const candidate& c,
                                                                lower::contents weights) const {
  const layer_makers makers{lowering_of(c, weights), lowering_of(c, lower::contents::none())};
  auto layers = makers.whole(c.lowering);
  if (!layers.values_known)
    throw error("the network has weights of which only the size is known");
  return plan::make_program(hw_,
                            scheduled(hw_, policy_, std::move(layers), options_, makers));
}

NVDLAC_IMPL plan::program_data program_maker::program(const candidate& c,
                                                      lower::contents weights) const {
  const bool searches = options_.optimize != 0 || options_.schedule || options_.scheduled;
  auto made = weights == lower::contents::none() && !searches ? draft_of(c).program
                                                              : scheduled_program(c, weights);
  if (!options_.without.contains(std::string(schedule::order::name)))
    schedule::bring_ahead(hw_, memory_for(hw_, options_), made);
  return made;
}

NVDLAC_IMPL bool program_maker::is_possible(const candidate& c) const {
  try {
    (void)lowering_of(c, lower::contents::none())(c.lowering);
  } catch (const error&) {
    return false;
  }
  return true;
}

NVDLAC_IMPL bool program_maker::can_transpose(candidate c) const {
  c.lowering.transposed = true;
  return transposed_ && is_possible(c);
}

NVDLAC_IMPL void program_maker::bind_transposed(plan::lowered& layers) {
  for (auto* bindings : {&layers.inputs, &layers.outputs})
    for (auto& b : *bindings) {
      b.shape = net::transposed(b.shape);
      b.transposed = true;
    }
  layers.remarks.push_back({layers.inputs.front().name,
                            "its maps, and those of all tensors, stand transposed in memory, "
                            "which is faster (as the network has them: --without transpose_maps)"});
}

NVDLAC_IMPL schedule::draft::relowering program_maker::lowering_of(const candidate& c,
                                                                   lower::contents values) const {
  return [this, batch = c.batch, siblings = c.siblings,
          values](const plan::lowering_choices& given) {
    auto layers = lower::lower_graph(lowered_for_, given.transposed ? *transposed_ : integers_,
                                     options_.network, values, batch, images_, siblings, given,
                                     file_);
    if (given.transposed) bind_transposed(layers);
    return layers;
  };
}

}  // namespace nvdlac::choose
