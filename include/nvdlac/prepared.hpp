// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac {

// A network in all its forms before it is mapped to one NVDLA.
template <class Graph>
struct prepared {
  Graph graph{};                // after the passes
  quant::scale_table scales{};  // of the tensors of `graph`
  quantised::graph integers{};
};
// A prepared network without operators of the user's own.
struct prepared_network : prepared<net::graph> {};

namespace detail {

template <class Graph>
using prepared_of = std::conditional_t<std::is_same_v<Graph, net::graph>, prepared_network,
                                       prepared<Graph>>;

}  // namespace detail

}  // namespace nvdlac
