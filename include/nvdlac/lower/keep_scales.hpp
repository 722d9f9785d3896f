// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>
#include <variant>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// Averages that CONV cannot sum, such as those whose weights find no room in the CBUF, keep the
// scale of their input: PDP computes them. To be said before scales are chosen, of every
// configuration that shall run the integers. The graph has its shapes. `sums(average, shapes of its
// input)` tells why one does not run.
template <class Graph, class Sums>
void keep_scales_by(Graph& g, const Sums& sums) {
  for (const auto n : g.order()) {
    auto* pool = std::get_if<net::pool>(&g[n].op);
    if (pool == nullptr || pool->kind != net::pool_kind::average) continue;
    const net::shape in = g[g.inputs(n)[0]].shape;
    const quantised::average sum{
        .window = net::padded_for(pool->window_on(in), in, g[n].shape)};
    if (sums(sum, std::array{in}) != reason::none) pool->keeps_scale = true;
  }
}
template <hw::hardware Hw, class Graph>
void keep_scales(Graph& g) {
  keep_scales_by(g, [](const quantised::average& a, std::span<const net::shape> in) {
    return check_support<Hw>(a, in, hw::precision::int8);
  });
}

}  // namespace nvdlac::lower
