// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of tensors that movements bring together.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/part_outputs.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

namespace detail {

// The move of elements of several tensors to where the maps have them.
net::move move_of(net::shape to, const std::vector<std::vector<std::int32_t>>& maps,
                  std::span<const net::shape> in);

}  // namespace detail

// A movement that takes elements of some of the tensors that movements before it bring together
// reads those alone: the boxes of a detector, which were joined with its scores, keep their scale,
// and what nobody else reads is not joined at all.
struct bypass_joins {
  static constexpr std::string_view name = "bypass_joins";
  static constexpr std::string_view description =
      "read parts of joined tensors where they were before they were joined";
  static constexpr std::size_t most_elements = std::size_t{1} << 22;  // that are followed back

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order())
        if (!r.removed(n) && as<net::move>(g, n) && g.inputs(n).size() == 1) bypass(g, r, n);
      r.finish();
    }
  }

 private:
  // Tensors that no movement gives, and where the elements of a tensor stand in them.
  template <class Graph>
  struct followed {
    std::vector<typename Graph::id> leaves{};
    std::vector<detail::element_origin> from{};  // in dense c-h-w order, `input` being a leaf
  };

  template <class Graph>
  static bool is_movement(const Graph& g, typename Graph::id n) {
    return as<net::move>(g, n) || as<net::concat>(g, n) || as<net::reshape>(g, n) ||
           as<net::flatten>(g, n) || as<net::identity>(g, n);
  }
  template <class Graph>
  static std::vector<detail::element_origin> origins(const Graph& g, typename Graph::id n) {
    std::vector<net::shape> shapes;
    for (const auto i : g.inputs(n)) shapes.push_back(g[i].shape);
    const auto* m = as<net::move>(g, n);
    return m ? detail::origins_of(*m, shapes) : detail::origins_of(shapes);
  }
  // Nothing where a movement fills some elements in.
  template <class Graph>
  static followed<Graph> follow(const Graph& g, typename Graph::id n) {
    followed<Graph> result{{n}, {}};
    const auto size = g[n].shape.size();
    for (std::size_t i = 0; i < size; ++i)
      result.from.push_back({0, static_cast<std::int32_t>(i)});
    for (std::size_t k = 0; k < result.leaves.size();) {
      const auto leaf = result.leaves[k];
      if (!is_movement(g, leaf) || g[leaf].shape.size() > most_elements) {
        ++k;
        continue;
      }
      const auto before = origins(g, leaf);
      if (before.size() != g[leaf].shape.size()) return {};
      std::vector<std::size_t> place;  // of its inputs among the leaves
      for (const auto i : g.inputs(leaf)) {
        const auto known = std::ranges::find(result.leaves, i);
        place.push_back(static_cast<std::size_t>(known - result.leaves.begin()));
        if (known == result.leaves.end()) result.leaves.push_back(i);
      }
      for (auto& o : result.from) {
        if (o.input != k) continue;
        const auto& b = before[static_cast<std::size_t>(o.element)];
        o = {place[b.input], b.element};
      }
      // The last leaf takes the place of the one that was followed.
      const auto last = result.leaves.size() - 1;
      for (auto& o : result.from)
        if (o.input == last) o.input = k;
      result.leaves[k] = result.leaves[last];
      result.leaves.pop_back();
    }
    return result;
  }

  template <class Graph>
  static void bypass(Graph& g, rewriter<Graph>& r, typename Graph::id n) {
    const auto above = g.inputs(n)[0];
    const bool large = std::max(g[n].shape.size(), g[above].shape.size()) > most_elements;
    if (large || !is_movement(g, above) || !joins(g, above)) return;
    const auto all = follow(g, above).leaves.size();
    const auto found = follow(g, n);
    if (found.from.empty()) return;
    std::vector<typename Graph::id> used;
    std::vector<std::vector<std::int32_t>> maps;
    for (std::size_t k = 0; k < found.leaves.size(); ++k) {
      std::vector<std::int32_t> map(found.from.size(), -1);
      bool any = false;
      for (std::size_t i = 0; i < map.size(); ++i)
        if (found.from[i].input == k) map[i] = found.from[i].element, any = true;
      if (!any) continue;
      used.push_back(found.leaves[k]);
      maps.push_back(std::move(map));
    }
    if (used.size() >= all) return;
    std::vector<net::shape> shapes;
    for (const auto u : used) shapes.push_back(g[u].shape);
    g[n].op = detail::move_of(g[n].shape, maps, shapes);
    r.set_inputs(n, used);
  }
  // Whether several tensors come together in n, or before it.
  template <class Graph>
  static bool joins(const Graph& g, typename Graph::id n) {
    while (is_movement(g, n) && g.inputs(n).size() == 1) n = g.inputs(n)[0];
    return is_movement(g, n);
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/bypass_joins.ipp>
#endif
