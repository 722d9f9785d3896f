// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lowering of the networks of run time (lower.hpp), compiled once.
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/lowering_choices.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::lower {

// As lower() does.
plan::lowered lower_graph(const target& hw, const quantised::graph& g, label network,
                          contents values, batch_of batch, bool images,
                          std::span<const sibling> siblings, const plan::lowering_choices& given,
                          std::string_view file);

// As find_siblings() does, with what find_together() finds.
std::vector<sibling> siblings_of_graph(const target& hw, const quantised::graph& g, bool images,
                                       const joining& how,
                                       const std::function<std::uint64_t(plan::lowered)>& cycles);

}  // namespace nvdlac::lower

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/lower/lower_graph.ipp>
#endif
