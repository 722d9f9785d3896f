// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes programs of one network's integers, to be taken or to be compared.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/keep.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

// The options by which programs are compared: each with the schedule of the policy.
compile_options without_search(compile_options options);

template <hw::hardware Hw>
std::uint64_t predicted_cycles(const plan::program<Hw>& p, const compile_options& options) {
  auto memory = memory_for<Hw>(options);
  memory.weights_ahead = cost::kernels_ahead::none;  // programs of any form are compared alike
  return cost::cycles<Hw>(p, memory).totals.cycles;
}

// The integers and the options must outlive the maker.
template <hw::hardware Hw, schedule::policy Policy>
class program_maker {
 public:
  program_maker(const quantised::graph& integers, const compile_options& options)
      : integers_(integers), options_(options), plain_(without_search(options)) {}

  // The predicted cycles of a candidate with the schedule of the policy.
  std::uint64_t cycles(const candidate& c) const {
    const auto quick = lowering_of(c, lower::contents::none());
    return predicted_cycles(plan::make_program<Hw>(scheduled<Hw, Policy>(
        quick(c.lowering), plain_, {quick, quick})), plain_);
  }
  // The bytes of a candidate's weights.
  std::uint64_t weights(const candidate& c) const {
    return lowering_of(c, lower::contents::none())(c.lowering).weights_size;
  }
  // The program of a candidate, with the schedule that the options ask for.
  plan::program<Hw> program(const candidate& c, lower::contents weights) const {
    const layer_makers makers{lowering_of(c, weights), lowering_of(c, lower::contents::none())};
    auto layers = makers.whole(c.lowering);
    if (!layers.values_known)
      throw error("the network has weights of which only the size is known");
    auto made = plan::make_program<Hw>(
        scheduled<Hw, Policy>(std::move(layers), options_, makers));
    if (!options_.without.contains(std::string(schedule::order::name)))
      schedule::bring_ahead<Hw>(memory_for<Hw>(options_), made);
    return made;
  }

 private:
  schedule::draft::relowering lowering_of(const candidate& c, lower::contents values) const {
    return [this, batch = c.batch, siblings = c.siblings,
            values](const plan::lowering_choices& given) {
      return lower::lower<Hw>(integers_, options_.network, values, batch, images_, siblings, given,
                              file_);
    };
  }

  const quantised::graph& integers_;
  const compile_options& options_;
  compile_options plain_;
  bool images_ = !options_.without.contains(std::string(lower::image_input::name));
  std::string file_ = options_.schedule ? options_.schedule->file : std::string();
};

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/maker.ipp>
#endif
