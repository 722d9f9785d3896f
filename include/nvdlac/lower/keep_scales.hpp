// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <variant>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// Averages that CONV of Hw cannot sum, such as those whose weights find no room in its CBUF, keep
// the scale of their input: PDP computes them. To be said before scales are chosen, of every Hw
// that shall run the integers. The graph has its shapes.
template <hw::hardware Hw, class Graph>
void keep_scales(Graph& g) {
  for (const auto n : g.order()) {
    auto* pool = std::get_if<net::pool>(&g[n].op);
    if (pool == nullptr || pool->kind != net::pool_kind::average) continue;
    const net::shape in = g[g.inputs(n)[0]].shape;
    const quantised::average sum{
        .window = net::padded_for(pool->window_on(in), in, g[n].shape)};
    if (check_support<Hw>(sum, std::array{in}, hw::precision::int8) != reason::none)
      pool->keeps_scale = true;
  }
}

}  // namespace nvdlac::lower
