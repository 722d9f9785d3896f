// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::lower {

// Asks `support`, for kinds of operators, for single ones and for whole networks.

// Why this operator, with its attributes and the shapes of its inputs, cannot run on Hw; `none` if
// it can. An operator of the user's own that has an expansion is judged by that.
template <hw::hardware Hw, net::operation Op>
constexpr reason reason_of(const Op& op, std::span<const net::shape> in,
                           hw::precision p = hw::precision::int8) {
  if constexpr (net::is_expandable<Op>)
    return reason_of<Hw>(net::expansion<Op>::run(op, in), in, p);
  else return check_support<Hw>(op, in, p);
}

// Why no operator of this kind can run on Hw: the least demanding one, with the attributes that Op
// has by default on inputs of a single element, cannot.
template <net::operation Op, hw::hardware Hw>
constexpr reason reason_of(hw::precision p = hw::precision::int8) {
  const std::array<net::shape, Op::inputs.least> in{};
  return reason_of<Hw>(Op{}, in, p);
}

// The reason of each node of the network, `none` for those that run.
template <hw::hardware Hw, class... Nodes>
constexpr std::array<reason, sizeof...(Nodes)> reasons_of(
    const net::network<Nodes...>& network, hw::precision p = hw::precision::int8) {
  std::array<reason, sizeof...(Nodes)> result{};
  network.for_each([&](std::size_t n, const auto& node) {
    std::array<net::shape, std::remove_cvref_t<decltype(node)>::inputs> in{};
    network.inputs_of(n, in);
    // Operators of NVDLA's numbers know of what they are.
    const auto reads = network.inputs(n);
    const auto own = network.precision(reads.empty() ? n : reads[0]);
    result[n] = check_precision<Hw>(own);
    if (result[n] == reason::none) result[n] = check_precision<Hw>(network.precision(n));
    if (result[n] == reason::none)
      result[n] = reason_of<Hw>(node.op, in, own == hw::precision::int8 ? p : own);
    if (result[n] == reason::none) result[n] = reason_in_network(network, n, node.op);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(node.op)>,
                                 quantised::convolution>) {
      const auto* from = network.template get_if<quantised::input>(network.inputs(n)[0]);
      if (from != nullptr && from->pixels && result[n] == reason::none)
        result[n] = reason_of_pixels<Hw>(node.op, in[0], own);
    }
  });
  return result;
}

// The reason of the first node that cannot run on Hw.
template <hw::hardware Hw, class... Nodes>
constexpr reason reason_of(const net::network<Nodes...>& network,
                           hw::precision p = hw::precision::int8) {
  if (const reason r = check_precision<Hw>(p); r != reason::none) return r;
  for (const reason r : reasons_of<Hw>(network, p))
    if (r != reason::none) return r;
  return reason::none;
}

// What a user can do besides giving it to the host.
template <class Hw, class Op>
std::string remedy_of(const Op& op, std::span<const net::shape> in, hw::precision p, reason why) {
  if (why == reason::too_many_layers)
    return text("if that is meant, raise it: --limit ", limit_of(&budget::layers).name, '=',
                excess_of<Hw>(op, in, p, why),
                "; or, of a file that can be cut, end before it: --to LAYER");
  if constexpr (std::is_same_v<Op, net::activation>)
    if (const auto lines = net::approximation_of(op); why == reason::no_lookup_table && lines)
      return text("compute it in straight lines, off by at most ", lines->bound,
                  ": --approximate");
  return {};
}

// Every layer of a network that Hw cannot run, and why. The graph has its shapes.
template <hw::hardware Hw, class Graph>
std::vector<problem> check(const Graph& g, const net::layer_precisions& p = {}) {
  if (const auto why = check_precision<Hw>(p.all); why != reason::none)
    return {{.reason = text(hw::name<Hw>(), ": ", to_text(why))}};
  std::vector<problem> found;
  for (const auto n : g.order()) {
    std::vector<net::shape> in;
    for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
    nvdlac::visit(
        [&]<class Op>(const Op& op) {
          const auto own = p(g[n].name);
          auto why = check_precision<Hw>(own);
          if (why == reason::none) why = reason_of<Hw>(op, in, own);
          if (why != reason::none)
            found.push_back({.layer = g[n].name,
                             .reason = text(type_name<Op>(), " does not run on ", hw::name<Hw>(),
                                            ": ", reason_in_words<Hw>(op, in, own, why)),
                             .remedy = remedy_of<Hw>(op, in, own, why)});
        },
        g[n].op);
  }
  return found;
}

// Whether Hw can add the other side of the sum to what the convolution gives. A convolution that
// has a precision of its own by name is left alone.
template <hw::hardware Hw, class Graph>
bool adds_behind(const Graph& g, typename Graph::id convolution, typename Graph::id sum,
                 const net::layer_precisions& p) {
  const auto own = p(g[sum].name);
  if (p.of.contains(g[convolution].name) || own != p.all) return false;
  const std::array in{g[g.inputs(convolution)[0]].shape, g[sum].shape};
  return reason_of<Hw>(std::get<net::convolution>(g[convolution].op), in, own) == reason::none;
}

}  // namespace nvdlac::lower
