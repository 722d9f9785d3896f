// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers with the schedule that a policy chooses, that is given, or that a search finds.
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

// Chooses a schedule as a policy does.
using scheduler = schedule::choices (*)(const schedule::draft&);
template <schedule::policy Policy>
schedule::choices schedule_by(const schedule::draft& d) {
  return Policy{}(d);
}

// Throws for a memory that gives nothing, and for a secondary one that the configuration does not
// have, or of which no schedule decides.
void check_memories(const lower::target& hw, const compile_options& options);

// The memory for which a program is made.
cost::memory memory_for(const hw::spec& hw, const compile_options& options);

// The configuration as lowering sees it: the passes of convolutions are those for a memory that may
// be narrower than the interface.
lower::target with_memory(lower::target hw, const cost::memory& m);

// Makes layers anew with given choices of the lowering: as the program has them, and without the
// contents of the weights, which is quick, to be judged.
struct layer_makers {
  schedule::draft::relowering whole{}, quick{};
};

// The layers as they shall run: compressed where that does not make the whole slower, or where the
// given schedule says so.
plan::lowered scheduled(const lower::target& hw, scheduler policy, plan::lowered layers,
                        const compile_options& options, const layer_makers& makers);

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/scheduled.ipp>
#endif
