// SPDX-License-Identifier: Apache-2.0
#pragma once
// Maps that a fully connected layer makes of more kernels than a convolution has.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

namespace detail {

// Kernels that give some channels of a map: those of a place stand together.
struct channel_kernels {
  std::int32_t channel = 0, count = 0;  // of the map
  std::vector<std::int32_t> kernels{};
};

// The kernels of a layer that give a map of more than a convolution has, in parts of whole atoms.
// None where an atom takes too many, the map has few channels, or a convolution kernels enough.
std::vector<channel_kernels> parts_of_map(net::shape map);

// The part of the layer.
net::fully_connected layer_of(const net::fully_connected& whole, const channel_kernels& part);

// The map of the vector that the parts give one behind the other.
net::move map_of(net::shape map, const std::vector<channel_kernels>& parts);

}  // namespace detail

// The first layer of a generator or decoder: a fully connected one whose vector, perhaps behind a
// function, becomes a map, and has more elements than a convolution has kernels. Its kernels change
// places so that those of a place of the map stand together, and are computed in parts of so many
// channels as they allow: no element is moved alone. The map takes the name of the vector, whose
// order it has.
struct split_maps {
  static constexpr std::string_view name = "split_maps";
  static constexpr std::string_view description =
      "compute maps of more kernels than the hardware has in parts of their channels";

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
  // Whether it does the same with each element, whatever its place.
  template <class Graph>
  static bool is_alike_for_all(const Graph& g, typename Graph::id n) {
    if (const auto* p = as<net::prelu>(g, n)) return p->slope.size() == 1;
    if (const auto* s = as<net::scale>(g, n)) return s->factor.size() == 1 && s->bias.size() <= 1;
    return as<net::activation>(g, n) || as<net::clip>(g, n) || as<net::relu>(g, n);
  }

  template <class Graph>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n) {
    std::vector<typename Graph::id> vectors;
    auto reader = n;
    do {
      vectors.push_back(reader);
      if (g[reader].output || g.uses(reader) != 1) return;
      reader = g.consumers(reader)[0];
    } while (is_alike_for_all(g, reader));
    const net::shape map = g[reader].shape;
    if (as<net::reshape>(g, reader) == nullptr || map.h * map.w == 1) return;
    const auto parts = detail::parts_of_map(map);
    if (parts.empty()) return;
    const auto whole = std::move(*as<net::fully_connected>(g, n));  // g grows
    const std::vector<typename Graph::id> from(g.inputs(n).begin(), g.inputs(n).end());
    std::vector<typename Graph::id> layers;
    for (const auto& p : parts)
      layers.push_back(r.add(g[n].name + "/channels", detail::layer_of(whole, p), from));
    auto last = layers.size() == 1 ? layers[0]
                                   : r.add(g[n].name + "/rows", net::concat{}, layers);
    for (std::size_t i = 1; i < vectors.size(); ++i)
      last = r.add(g[vectors[i]].name + "/rows", g[vectors[i]].op, {last});
    g[reader].op = detail::map_of(map, parts);
    if (!g[reader].output) g[reader].name = g[vectors.back()].name;
    r.set_inputs(reader, {last});
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/split_maps.ipp>
#endif
