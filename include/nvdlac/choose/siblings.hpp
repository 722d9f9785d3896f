// SPDX-License-Identifier: Apache-2.0
#pragma once
// The choice of convolutions that read one tensor and become one.
#include <vector>

#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::choose {

// All siblings apart, and the groups that are predicted to be faster by themselves as one.
std::vector<candidate> with_siblings(const lower::target& hw, candidate from,
                                     const quantised::graph& integers,
                                     const compile_options& options);

// The shifts that convolutions have to share so that they can be one, where that is faster.
quant::shifts_of_layers shared_shifts(const lower::target& hw, const quantised::graph& integers,
                                      const compile_options& options);

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/siblings.ipp>
#endif
