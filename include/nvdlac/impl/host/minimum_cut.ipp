// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/minimum_cut.hpp>

namespace nvdlac::host {

NVDLAC_IMPL std::vector<side> minimum_cut(std::span<const side> operators,
                                          std::span<const tensor_users> tensors) {
  using traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>;
  struct vertex {
    boost::default_color_type color{};
    std::int64_t distance = 0;
    traits::edge_descriptor predecessor{};
  };
  struct edge { std::int64_t capacity = 0, residual = 0; traits::edge_descriptor reverse{}; };
  using flow =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, vertex, edge>;

  const std::size_t n = operators.size(), source = n, sink = n + 1;
  flow g(n + 2 + 2 * tensors.size());
  const auto connect = [&](std::size_t from, std::size_t to, std::int64_t capacity) {
    const auto there = add_edge(from, to, edge{.capacity = capacity}, g).first;
    const auto back = add_edge(to, from, edge{}, g).first;
    g[there].reverse = back;
    g[back].reverse = there;
  };
  // Operators of NVDLA stay with the source. All operators on the host cost less than a crossing.
  const auto crossing = static_cast<std::int64_t>(n) + 1;
  const auto never = crossing * (static_cast<std::int64_t>(tensors.size()) + 1);
  for (std::size_t i = 0; i < n; ++i) {
    if (operators[i] == side::host) connect(i, sink, never);
    else connect(source, i, operators[i] == side::nvdla ? never : 1);
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::size_t any_nvdla = n + 2 + 2 * t, all_nvdla = any_nvdla + 1;
    connect(any_nvdla, all_nvdla, crossing);
    for (const auto user : tensors[t]) {
      connect(user, any_nvdla, never);
      connect(all_nvdla, user, never);
    }
  }
  boykov_kolmogorov_max_flow(g, get(&edge::capacity, g), get(&edge::residual, g),
                             get(&edge::reverse, g), get(&vertex::predecessor, g),
                             get(&vertex::color, g), get(&vertex::distance, g),
                             get(boost::vertex_index, g), source, sink);
  const auto reached = g[source].color;
  std::vector<side> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(g[i].color == reached ? side::nvdla : side::host);
  return result;
}

}  // namespace nvdlac::host
