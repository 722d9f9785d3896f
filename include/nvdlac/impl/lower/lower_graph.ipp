// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/lower_graph.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/lower/siblings.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/lowering_choices.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::lower {

NVDLAC_IMPL plan::lowered lower_graph(const target& hw, const quantised::graph& g, label network,
                                      contents values, batch_of batch, bool images,
                                      std::span<const sibling> siblings,
                                      const plan::lowering_choices& given, std::string_view file) {
  return lower(hw, g, std::move(network), values, batch, images, siblings, given, file);
}

NVDLAC_IMPL std::vector<sibling> siblings_of_graph(
    const target& hw, const quantised::graph& g, bool images, const joining& how,
    const std::function<std::uint64_t(plan::lowered)>& cycles) {
  return find_siblings(hw, g, find_together(hw, g, images), images, how, cycles);
}

}  // namespace nvdlac::lower
