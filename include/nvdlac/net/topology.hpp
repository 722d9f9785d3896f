// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include <nvdlac/base/version.hpp>

namespace nvdlac::net {

// The edges of a DAG of N nodes, known to the compiler. Every node comes behind those it reads, so
// its ids are an order of execution. With net/boost_graph.hpp a model of Boost.Graph's
// VertexListGraph, EdgeListGraph, IncidenceGraph and AdjacencyGraph: its algorithms take the
// compile-time form too.
template <std::size_t N, std::size_t E>
class topology {
 public:
  using id = std::size_t;
  struct edge {
    id from = 0, to = 0;
    std::size_t slot = 0;  // of the inputs of `to`

    constexpr bool operator==(const edge&) const = default;
  };

  constexpr topology() {
    for (id n = 0; n < N; ++n) nodes_[n] = n;
  }
  // The edges, those of one consumer together and by slot, consumers ascending.
  constexpr explicit topology(const std::array<edge, E>& by_consumer) : topology() {
    std::size_t filled = 0;
    for (id n = 0; n < N; ++n) {
      first_out_[n] = filled;
      for (const edge& e : by_consumer)
        if (e.from == n) {
          targets_[filled] = e.to;
          by_producer_[filled++] = e;
        }
      first_in_[n + 1] = first_in_[n];
      for (std::size_t i = first_in_[n]; i < E && by_consumer[i].to == n; ++i) {
        sources_[i] = by_consumer[i].from;
        ++first_in_[n + 1];
      }
    }
    first_out_[N] = filled;
  }

  static constexpr std::size_t size() { return N; }
  // The producers of n's inputs, by slot.
  constexpr std::span<const id> inputs(id n) const {
    return std::span(sources_).subspan(first_in_[n], first_in_[n + 1] - first_in_[n]);
  }
  // Every use of n's tensor, ascending.
  constexpr std::span<const id> consumers(id n) const {
    return std::span(targets_).subspan(first_out_[n], first_out_[n + 1] - first_out_[n]);
  }
  constexpr std::size_t uses(id n) const { return first_out_[n + 1] - first_out_[n]; }

  // Boost.Graph's side, but for its traits: these are in net/boost_graph.hpp, which includes it.
  friend constexpr id source(const edge& e, const topology&) { return e.from; }
  friend constexpr id target(const edge& e, const topology&) { return e.to; }
  friend constexpr std::size_t num_vertices(const topology&) { return N; }
  friend constexpr std::size_t num_edges(const topology&) { return E; }
  friend constexpr std::pair<const id*, const id*> vertices(const topology& g) {
    return {g.nodes_.data(), g.nodes_.data() + N};
  }
  friend constexpr std::pair<const edge*, const edge*> edges(const topology& g) {
    return {g.by_producer_.data(), g.by_producer_.data() + E};
  }
  friend constexpr std::pair<const edge*, const edge*> out_edges(id n, const topology& g) {
    return {g.by_producer_.data() + g.first_out_[n], g.by_producer_.data() + g.first_out_[n + 1]};
  }
  friend constexpr std::size_t out_degree(id n, const topology& g) { return g.uses(n); }
  friend constexpr std::pair<const id*, const id*> adjacent_vertices(id n, const topology& g) {
    return {g.targets_.data() + g.first_out_[n], g.targets_.data() + g.first_out_[n + 1]};
  }

 private:
  std::array<id, N> nodes_{};
  std::array<id, E> sources_{}, targets_{};  // by consumer; by producer
  std::array<edge, E> by_producer_{};
  std::array<std::size_t, N + 1> first_in_{}, first_out_{};
};

}  // namespace nvdlac::net
