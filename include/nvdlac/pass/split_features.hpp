// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fully connected layers that read several tensors, one behind the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

namespace detail {

// The columns of a fully connected layer's weights for each element of a cube.
using feature_columns = std::vector<std::int32_t>;

// The part of a layer that reads a cube of those columns, as a convolution, with which a sum joins.
net::convolution layer_of(const net::fully_connected& whole, net::shape cube,
                          std::span<const std::int32_t> columns);

// The features of a vector from `first` on.
net::move features_from(std::int32_t first, std::int32_t count);

// Where the move puts each element of an input of this shape; none where it does not put each one
// somewhere once.
feature_columns targets_of(const net::move& m, net::shape in);

}  // namespace detail

// A fully connected layer reads the elements of a map in any order. Where it reads those of several
// maps, one behind the other, it becomes a sum of layers, each of which reads what has one height
// and width and rounds to a scale of its own; so it does where there are more features than a cube
// has. A few features of maps are brought together as before, and all are where another layer
// reads them so.
struct split_features {
  static constexpr std::string_view name = "split_features";
  static constexpr std::string_view description =
      "sum what a fully connected layer makes of each map, and of more features than a cube has";
  static constexpr std::size_t fewest = 256;  // features of maps

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators> &&
                  contains<net::concat, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order())
        if (as<net::fully_connected>(g, n) != nullptr) split(g, r, n);
      r.finish();
    }
  }

 private:
  // Tensors that stand one behind the other, as one cube.
  template <class Graph>
  struct part {
    std::vector<typename Graph::id> sources{};
    net::shape cube{};
    detail::feature_columns columns{};
  };

  template <class Graph>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n) {
    const auto from = g.inputs(n)[0];
    const net::shape in = g[from].shape;
    if (in.h != 1 || in.w != 1) return;
    std::vector<part<Graph>> found;
    find(g, from, 0, found);
    std::size_t in_maps = 0;
    for (const auto& p : found)
      if (p.cube.h * p.cube.w > 1) in_maps += p.cube.size();
    if (in.c <= hw::any_map.cube_side && (in_maps < fewest || is_needed_as_it_is(g, from))) return;
    const std::string base = g[n].name;
    auto parts = joined<Graph>(cut(r, base, std::move(found)));
    for (auto& p : parts)
      if (p.sources.size() > 1) p.sources = {r.add(base + "/maps", net::concat{}, p.sources)};
    const auto whole = std::move(*as<net::fully_connected>(g, n));  // g grows
    if (parts.size() == 1) {
      auto layer = detail::layer_of(whole, parts[0].cube, parts[0].columns);
      layer.bias = whole.bias;
      layer.relu = whole.relu;
      g[n].op = std::move(layer);
      return r.set_inputs(n, parts[0].sources);
    }
    // The largest is the last, which the sum joins before it is rounded.
    std::ranges::stable_sort(parts, {}, [](const auto& p) { return p.columns.size(); });
    std::vector<typename Graph::id> layers;
    for (const auto& p : parts) {
      auto layer = detail::layer_of(whole, p.cube, p.columns);
      if (layers.size() + 1 == parts.size()) layer.bias = whole.bias;
      layers.push_back(r.add(base + "/features", std::move(layer), p.sources));
    }
    // The node itself becomes the last sum, so that its name and its readers stay.
    auto sum = layers[0];
    for (std::size_t i = 1; i + 1 < layers.size(); ++i)
      sum = r.add(base + "/sum", net::add{}, {sum, layers[i]});
    g[n].op = net::add{.relu = whole.relu};
    r.set_inputs(n, {sum, layers.back()});
  }

  // Adds what the columns from `first` on stand for, where x is read.
  template <class Graph>
  static void find(const Graph& g, typename Graph::id x, std::int32_t first,
                   std::vector<part<Graph>>& all) {
    if (as<net::concat>(g, x)) {
      for (const auto i : g.inputs(x)) {
        find(g, i, first, all);
        first += g[i].shape.c;
      }
      return;
    }
    detail::feature_columns columns;
    if (const auto* m = as<net::move>(g, x); m != nullptr && g.inputs(x).size() == 1) {
      columns = detail::targets_of(*m, g[g.inputs(x)[0]].shape);
      if (!columns.empty()) x = g.inputs(x)[0];
    }
    while (as<net::flatten>(g, x) || as<net::reshape>(g, x)) x = g.inputs(x)[0];
    const net::shape cube = g[x].shape;
    if (columns.empty())
      for (std::size_t i = 0; i < cube.size(); ++i)
        columns.push_back(static_cast<std::int32_t>(i));
    for (auto& c : columns) c += first;
    all.push_back({{x}, cube, std::move(columns)});
  }

  // A vector of more features than a cube has, in pieces that have them.
  template <class Graph>
  static std::vector<part<Graph>> cut(rewriter<Graph>& r, const std::string& base,
                                      std::vector<part<Graph>> parts) {
    std::vector<part<Graph>> all;
    for (auto& p : parts) {
      if (p.cube.h * p.cube.w > 1 || p.cube.c <= hw::any_map.cube_side) {
        all.push_back(std::move(p));
        continue;
      }
      for (std::int32_t first = 0; first < p.cube.c; first += hw::any_map.cube_side) {
        const auto count = std::min(p.cube.c - first, hw::any_map.cube_side);
        const auto begin = p.columns.begin() + first;
        all.push_back({{r.add(base + "/cut", detail::features_from(first, count), p.sources)},
                       {count, 1, 1},
                       {begin, begin + count}});
      }
    }
    return all;
  }

  // Parts of one height and width as one, up to the channels that a cube has.
  template <class Graph>
  static std::vector<part<Graph>> joined(std::vector<part<Graph>> parts) {
    std::vector<part<Graph>> all;
    for (auto& p : parts) {
      const auto fits = std::ranges::find_if(all, [&](const part<Graph>& o) {
        return o.cube.h == p.cube.h && o.cube.w == p.cube.w &&
               o.cube.c + p.cube.c <= hw::any_map.cube_side;
      });
      if (fits == all.end()) {
        all.push_back(std::move(p));
        continue;
      }
      fits->sources.insert(fits->sources.end(), p.sources.begin(), p.sources.end());
      fits->columns.insert(fits->columns.end(), p.columns.begin(), p.columns.end());
      fits->cube.c += p.cube.c;
    }
    return all;
  }

  template <class Graph>
  static bool is_needed_as_it_is(const Graph& g, typename Graph::id x) {
    const auto readers = g.consumers(x);
    return g[x].output || std::ranges::any_of(readers, [&](auto reader) {
      return as<net::fully_connected>(g, reader) == nullptr;
    });
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/split_features.ipp>
#endif
