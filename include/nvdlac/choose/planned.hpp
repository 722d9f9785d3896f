// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program of one network's integers, by the choices that are predicted to be the fastest.
#include <cstddef>

#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

// Layers in their order, memory and dependencies; nothing is checked yet. Without the contents of
// the weights it is quick, and compresses none.
plan::program_data planned(const lower::target& hw, const quantised::graph& integers,
                           const compile_options& options, lower::contents weights = {},
                           scheduler policy = schedule_by<schedule::standard>);

// The program with each layer in its usual form and the schedule of schedule::quick, without
// weights, which is made in a fifth of the time; in the order of the network, if it has more
// hardware layers than these.
plan::program_data outlined(const lower::target& hw, const quantised::graph& integers,
                            const compile_options& options, std::size_t most_scheduled);

// Whether the first takes fewer predicted cycles, each with the schedule of the standard policy.
bool is_faster(const lower::target& hw, const quantised::graph& a, const quantised::graph& b,
               const compile_options& options);

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/planned.ipp>
#endif
