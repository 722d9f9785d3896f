// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/float_rules.hpp>
#include <nvdlac/lower/keep_scales.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::lower {

NVDLAC_IMPL const float_rules<net::graph>& standard_float_rules() {
  using graph = net::graph;
  static constexpr float_rules<graph> shared{
      .check = [](const target& hw, const graph& g, const net::layer_precisions& p,
                  std::uint64_t most_layers) {
        return check_by(standard_judge{hw, hw.name}, g, p, most_layers);
      },
      .keep_scales = [](const target& hw, graph& g, const net::layer_precisions& of) {
        keep_scales_by(g, of, [&](const quantised::average& a, std::span<const net::shape> in,
                                  hw::precision p) { return check_support(hw, a, in, p); });
      },
      .adds_behind = [](const target& hw, const graph& g, graph::id convolution, graph::id sum,
                        const net::layer_precisions& p) {
        return adds_behind_by(standard_judge{hw, hw.name}, g, convolution, sum, p);
      }};
  return shared;
}

}  // namespace nvdlac::lower
