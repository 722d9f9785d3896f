// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes programs of one network's integers, to be taken or to be compared.
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/choose/transposed.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/image_input.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/draft.hpp>

namespace nvdlac::choose {

// The options by which programs are compared: each with the schedule of the policy.
compile_options without_search(compile_options options);

std::uint64_t predicted_cycles(const hw::spec& hw, const plan::program_data& p,
                               const compile_options& options);

// The integers and the options must outlive the maker.
class program_maker {
 public:
  program_maker(const lower::target& hw, scheduler policy, const quantised::graph& integers,
                const compile_options& options)
      : hw_(hw), lowered_for_(with_memory(hw, memory_for(hw, options))), policy_(policy),
        integers_(integers), options_(options), plain_(without_search(options)),
        transposed_(transposed_of(integers, options)) {}

  // The configuration with the memory for which the program is made, as layers are made for it.
  const lower::target& lowered_for() const { return lowered_for_; }
  // Whether that memory is narrower than the interface.
  bool is_narrow() const { return lowered_for_.dram.width_bits < hw_.dram.width_bits; }
  // Whether the hardware runs a candidate.
  bool is_possible(const candidate& c) const;
  // Whether a candidate may have its maps transposed in memory, and the hardware runs it so: CONV
  // holds whole lines of pixels, and what were columns may be too long.
  bool can_transpose(candidate c) const;

  // The predicted cycles of a candidate with the schedule of the policy.
  std::uint64_t cycles(const candidate& c) const;
  // The bytes of a candidate's weights.
  std::uint64_t weights(const candidate& c) const;
  // A candidate's convolutions that take fewer steps of the MACs with folded lines.
  std::vector<label> foldable(const candidate& c) const;
  // The cycles of a candidate that are those of each of these layers.
  std::vector<std::uint64_t> cycles_of(const candidate& c, std::span<const label> layers) const;
  // A candidate's convolutions that can be cut otherwise.
  std::vector<plan::split_convolution> convolutions(const candidate& c) const;
  // The program of a candidate with the schedule of schedule::quick, without weights; of so many
  // layers that this would take a second, in the order of the network.
  plan::program_data outline(const candidate& c, std::size_t most_scheduled) const;
  // The program of a candidate, with the schedule that the options ask for.
  plan::program_data program(const candidate& c, lower::contents weights) const;

 private:
  // A candidate's program with the schedule of the policy, and without weights.
  struct draft {
    candidate of{};
    plan::program_data program{};
    cost::estimate cost{};
  };
  // The draft of a candidate, which is made once.
  const draft& draft_of(const candidate& c) const;
  // A candidate's program, with the schedule that the options ask for, as its weights come.
  plan::program_data scheduled_program(const candidate& c, lower::contents weights) const;
  schedule::draft::relowering lowering_of(const candidate& c, lower::contents values) const;
  // The tensors that the user binds as the network has them, where the maps of all are transposed.
  static void bind_transposed(plan::lowered& layers);

  lower::target hw_;
  lower::target lowered_for_;
  scheduler policy_;
  const quantised::graph& integers_;
  const compile_options& options_;
  compile_options plain_;
  std::optional<quantised::graph> transposed_;
  bool images_ = !options_.without.contains(std::string(lower::image_input::name));
  std::string file_ = options_.schedule ? options_.schedule->file : std::string();
  mutable std::deque<draft> drafts_{};  // those that are made
};

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/maker.ipp>
#endif
