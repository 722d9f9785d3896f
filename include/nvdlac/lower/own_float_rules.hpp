// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/float_rules.hpp>
#include <nvdlac/lower/keep_scales.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/standard_operators.hpp>

namespace nvdlac::lower {

// The rules of Hw, which may be of its own, for a network in float that may have operators of the
// user's own.
template <hw::hardware Hw, class Graph>
const float_rules<Graph>& float_rules_of() {
  if constexpr (std::is_same_v<Graph, net::graph> &&
                !detail::has_own_supports<Hw>(net::standard_operators{})) {
    return standard_float_rules();
  } else {
    static constexpr float_rules<Graph> own{
        .check = [](const target&, const Graph& g, const net::layer_precisions& p,
                    std::uint64_t most_layers) { return check<Hw>(g, p, most_layers); },
        .keep_scales = [](const target&, Graph& g,
                          const net::layer_precisions& p) { keep_scales<Hw>(g, p); },
        .adds_behind = [](const target&, const Graph& g, typename Graph::id convolution,
                          typename Graph::id sum, const net::layer_precisions& p) {
          return adds_behind<Hw>(g, convolution, sum, p);
        }};
    return own;
  }
}

}  // namespace nvdlac::lower
