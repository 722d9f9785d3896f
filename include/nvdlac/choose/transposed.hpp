// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the maps of all tensors stand transposed in memory.
#include <optional>
#include <vector>

#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::choose {

// The network with transposed maps, if it may be computed so: where a schedule is given, as that
// says; else if an input is at least twice as high as it is wide, or the reverse. Throws for a
// schedule that transposes what cannot be.
std::optional<quantised::graph> transposed_of(const quantised::graph& integers,
                                              const compile_options& options);

// Maps as the network has them, and transposed, if that is `possible` and no schedule has chosen.
std::vector<candidate> with_transposed(const candidate& from, bool possible,
                                       const compile_options& options);

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/transposed.ipp>
#endif
