// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/concat.hpp>
#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/elementwise.hpp>
#include <nvdlac/lower/homes.hpp>
#include <nvdlac/lower/host.hpp>
#include <nvdlac/lower/pool.hpp>
#include <nvdlac/type_name.hpp>

namespace nvdlac::lower {

namespace detail {

// A tensor in memory that nothing computes: it has no layers.
template <class Op>
inline constexpr bool has_no_layers =
    contains<Op, type_list<net::integer::input, net::integer::constant, net::integer::reshape>>;

// Pixels are converted on their way into a convolution; nothing else can read them.
inline void check_pixels(const net::integer::graph& g, net::integer::graph::id n,
                         diagnostics& problems) {
  const auto* in = std::get_if<net::integer::input>(&g[n].op);
  if (!in || !in->pixels) return;
  bool allowed = !g[n].output;
  for (const auto reader : g.consumers(n)) {
    const auto* conv = std::get_if<net::integer::convolution>(&g[reader].op);
    allowed = allowed && conv && conv->groups == 1;
  }
  if (!allowed)
    problems.add({.layer = g[n].name,
                  .reason = "it is a picture, which only convolutions of one group can read",
                  .remedy = "give it as int8 values"});
}

}  // namespace detail

// The integer network as hardware layers of Hw, in the order of execution; buffers have sizes but
// no addresses yet. Throws one error with all layers that Hw cannot compute, and why.
template <hw::hardware Hw>
lowered lower(const net::integer::graph& g, std::string network) {
  assembly to;
  to.result.network = std::move(network);
  const homes at = home_finder<Hw>(g, to).find();
  diagnostics problems;
  for (const auto n : g.order()) {
    const auto& node = g[n];
    detail::check_pixels(g, n, problems);
    std::visit(
        [&]<class Op>(const Op& op) {
          if constexpr (!detail::has_no_layers<Op>) {
            site<Op> s{.op = op,
                       .name = node.name,
                       .out = at.of[n],
                       .out_scale = node.scale,
                       .in_place = at.in_place[n],
                       .staging = at.staging[n]};
            for (const auto i : g.inputs(n)) {
              s.in.push_back(at.of[i]);
              s.in_scale.push_back(g[i].scale);
              if (const auto* in = std::get_if<net::integer::input>(&g[i].op))
                s.pixels = in->pixels;
            }
            try {
              lowering<Op, Hw>::run(to, s);
            } catch (const error& e) {
              for (const auto& p : e.problems()) problems.add(p);
            }
          }
        },
        node.op);
    for (const auto& copy_out : at.copies)
      if (copy_out.node == n) copy(to, node.name + "/output", at.of[n], copy_out.to);
  }
  problems.check();
  return std::move(to.result);
}

}  // namespace nvdlac::lower
