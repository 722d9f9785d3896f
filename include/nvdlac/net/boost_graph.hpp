// SPDX-License-Identifier: Apache-2.0
#pragma once
// Networks as Boost.Graph sees them, for those who want its algorithms: a graph is a model of
// VertexListGraph, BidirectionalGraph and AdjacencyGraph, its compile-time form of VertexListGraph,
// EdgeListGraph, IncidenceGraph and AdjacencyGraph. Of nvdlac all.hpp alone includes this header.
#include <algorithm>
#include <cstddef>
#include <utility>

#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/topology.hpp>

namespace nvdlac::net {

// An edge of a graph: the tensor of `from` is input `slot` of `to`.
struct graph_edge {
  std::size_t from = 0, to = 0, slot = 0;
  bool operator==(const graph_edge&) const = default;
};

namespace detail {

// The i-th edge into a node.
template <class Graph>
struct edge_into {
  const Graph* graph = nullptr;
  std::size_t node = 0;
  graph_edge operator()(std::size_t i) const {
    return {graph->inputs(node)[i], node, graph->fed_slots(node)[i]};
  }
};

// The i-th edge out of a node. Edges to one consumer are in the order of its slots.
template <class Graph>
struct edge_out_of {
  const Graph* graph = nullptr;
  std::size_t node = 0;
  graph_edge operator()(std::size_t i) const {
    const auto readers = graph->consumers(node);
    const std::size_t to = readers[i];
    auto earlier = static_cast<std::size_t>(
        std::count(readers.begin(), readers.begin() + static_cast<std::ptrdiff_t>(i), to));
    const auto inputs = graph->inputs(to);
    std::size_t at = 0;
    while (inputs[at] != node || earlier-- > 0) ++at;
    return {node, to, graph->fed_slots(to)[at]};
  }
};

template <class Function>
using edge_iterator_of = boost::transform_iterator<Function, boost::counting_iterator<std::size_t>,
                                                   graph_edge, graph_edge>;

template <class Function>
std::pair<edge_iterator_of<Function>, edge_iterator_of<Function>> edges_of(Function f,
                                                                           std::size_t count) {
  using number = boost::counting_iterator<std::size_t>;
  return {{number(0), f}, {number(count), f}};
}

}  // namespace detail

template <class... Ops>
auto vertices(const basic_graph<type_list<Ops...>>& g) {
  using number = boost::counting_iterator<std::size_t>;
  return std::pair(number(0), number(g.size()));
}
template <class... Ops>
std::size_t num_vertices(const basic_graph<type_list<Ops...>>& g) {
  return g.size();
}
template <class... Ops>
std::size_t source(const graph_edge& e, const basic_graph<type_list<Ops...>>&) {
  return e.from;
}
template <class... Ops>
std::size_t target(const graph_edge& e, const basic_graph<type_list<Ops...>>&) {
  return e.to;
}
template <class... Ops>
auto in_edges(std::size_t n, const basic_graph<type_list<Ops...>>& g) {
  return detail::edges_of(detail::edge_into<basic_graph<type_list<Ops...>>>{&g, n},
                          g.inputs(n).size());
}
template <class... Ops>
auto out_edges(std::size_t n, const basic_graph<type_list<Ops...>>& g) {
  return detail::edges_of(detail::edge_out_of<basic_graph<type_list<Ops...>>>{&g, n}, g.uses(n));
}
template <class... Ops>
std::size_t in_degree(std::size_t n, const basic_graph<type_list<Ops...>>& g) {
  return g.inputs(n).size();
}
template <class... Ops>
std::size_t out_degree(std::size_t n, const basic_graph<type_list<Ops...>>& g) {
  return g.uses(n);
}
template <class... Ops>
std::size_t degree(std::size_t n, const basic_graph<type_list<Ops...>>& g) {
  return g.inputs(n).size() + g.uses(n);
}
template <class... Ops>
auto adjacent_vertices(std::size_t n, const basic_graph<type_list<Ops...>>& g) {
  const auto readers = g.consumers(n);
  return std::pair(readers.data(), readers.data() + readers.size());
}

}  // namespace nvdlac::net

template <class... Ops>
struct boost::graph_traits<nvdlac::net::basic_graph<nvdlac::type_list<Ops...>>> {
  using graph = nvdlac::net::basic_graph<nvdlac::type_list<Ops...>>;
  using vertex_descriptor = std::size_t;
  using edge_descriptor = nvdlac::net::graph_edge;
  using vertex_iterator = counting_iterator<vertex_descriptor>;
  using in_edge_iterator =
      nvdlac::net::detail::edge_iterator_of<nvdlac::net::detail::edge_into<graph>>;
  using out_edge_iterator =
      nvdlac::net::detail::edge_iterator_of<nvdlac::net::detail::edge_out_of<graph>>;
  using adjacency_iterator = const vertex_descriptor*;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using directed_category = bidirectional_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : vertex_list_graph_tag,
                              bidirectional_graph_tag,
                              adjacency_graph_tag {};
  static vertex_descriptor null_vertex() { return static_cast<vertex_descriptor>(-1); }
};

template <std::size_t N, std::size_t E>
struct boost::graph_traits<nvdlac::net::topology<N, E>> {
  using vertex_descriptor = std::size_t;
  using edge_descriptor = typename nvdlac::net::topology<N, E>::edge;
  using vertex_iterator = const vertex_descriptor*;
  using edge_iterator = const edge_descriptor*;
  using out_edge_iterator = const edge_descriptor*;
  using adjacency_iterator = const vertex_descriptor*;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using directed_category = directed_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : vertex_list_graph_tag, edge_list_graph_tag, incidence_graph_tag,
                              adjacency_graph_tag {};
  static vertex_descriptor null_vertex() { return N; }
};
