// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>
#include <variant>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// Averages that CONV cannot sum, such as those whose weights find no room in the CBUF, keep the
// scale of their input: PDP computes them. To be said before scales are chosen, of every
// configuration that shall run the integers. The graph has its shapes. `sums(average, shapes of its
// input, its precision)` tells why one does not run; in fp16 there are no scales.
template <class Graph, class Sums>
void keep_scales_by(Graph& g, const net::layer_precisions& p, const Sums& sums) {
  for (const auto n : g.order()) {
    auto* pool = std::get_if<net::pool>(&g[n].op);
    if (pool == nullptr || pool->kind != net::pool_kind::average) continue;
    const net::shape in = g[g.inputs(n)[0]].shape;
    const quantised::average sum{
        .window = net::padded_for(pool->window_on(in), in, g[n].shape)};
    const auto own = p(g[n].name);
    if (own != hw::precision::fp16 && sums(sum, std::array{in}, own) != reason::none)
      pool->keeps_scale = true;
  }
}
template <hw::hardware Hw, class Graph>
void keep_scales(Graph& g, const net::layer_precisions& of = {}) {
  keep_scales_by(g, of, [](const quantised::average& a, std::span<const net::shape> in,
                           hw::precision p) { return check_support<Hw>(a, in, p); });
}

}  // namespace nvdlac::lower
