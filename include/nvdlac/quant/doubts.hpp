// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is no error, but what the user should know before he trusts the numbers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// Watches calibration samples: of which inputs did every one hold a single value throughout?
struct uniformity {
  std::size_t samples = 0;
  std::vector<bool> varies{};  // by input
  std::vector<float> first{};

  void observe(std::span<const net::float_tensor> sample) {
    if (++samples == 1) varies.assign(sample.size(), false), first.assign(sample.size(), 0);
    for (std::size_t i = 0; i < std::min(sample.size(), varies.size()); ++i) {
      const auto& v = sample[i].values;
      varies[i] = varies[i] || v.size() < 2 ||
                  std::ranges::any_of(v, [&](float x) { return x != v[0]; });
      if (samples == 1 && !v.empty()) first[i] = v[0];
    }
  }
};

// Inputs whose calibration says little.
template <class Graph>
std::vector<problem> uniform_inputs(const Graph& g, const uniformity& seen) {
  std::vector<problem> found;
  const auto nodes = net::input_nodes(g);
  for (std::size_t i = 0; i < std::min(nodes.size(), seen.varies.size()); ++i)
    if (!seen.varies[i])
      found.push_back({.layer = g[nodes[i]].name,
                       .reason = text("every calibration input is a single value throughout (",
                                      seen.first[i], "): the scales of all layers are guesses"),
                       .remedy = "calibrate with inputs as the network will see them"});
  return found;
}

// Tensors in fp16 whose values the table knows to lie beyond its range.
template <class Graph>
std::vector<problem> beyond_fp16(const Graph& g, const scale_table& table,
                                 const net::layer_precisions& p) {
  std::map<std::string, double> scales;
  for (const auto& e : table.entries) scales[e.layer] = e.scale;
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto scale = scales.find(g[n].name);
    if (scale == scales.end() || p(g[n].name) != hw::precision::fp16) continue;
    if (const double reach = 127 * scale->second; reach > 65504)
      found.push_back({.layer = g[n].name,
                       .reason = text("its values reach ", reach, ", and in fp16 those beyond "
                                      "65504 become 65504"),
                       .remedy = text("compute it in int16 or int8: --precision fp16,", g[n].name,
                                      "=int16; or scale the network's values")});
  }
  return found;
}

// Weights of which fp16 leaves nothing.
template <class Graph>
std::vector<problem> vanishing_weights(const Graph& g, const quantised::graph& integers) {
  std::map<std::string, const quantised::convolution*> convolutions;
  for (quantised::graph::id n = 0; n < integers.size(); ++n)
    if (integers.precision(n) == hw::precision::fp16)
      if (const auto* c = integers.get_if<quantised::convolution>(n))
        convolutions[integers[n].name] = c;
  std::vector<problem> found;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto c = convolutions.find(g[n].name);
    if (c == convolutions.end()) continue;
    nvdlac::visit([&]<class Op>(const Op& op) {
      if constexpr (requires { op.weights; }) {
        const auto some = std::ranges::count_if(op.weights, [](float w) { return w != 0; });
        const auto& halves = c->second->wide_weights;
        const auto left = std::count_if(halves.begin(), halves.end(),
                                        [](std::int16_t bits) { return (bits & 0x7fff) != 0; });
        if (left < some)
          found.push_back({.layer = g[n].name,
                           .reason = text(some - left, " of its ", op.weights.size(),
                                          " weights are so small that fp16 makes them 0"),
                           .remedy = text("compute it in int16 or int8: --precision fp16,",
                                          g[n].name, "=int16")});
      }
    }, g[n].op);
  }
  return found;
}

}  // namespace nvdlac::quant
