// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/windows.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Layers with more kernels than a convolution has, as several, whose results stand one behind the
// other: no value changes.
struct split_kernels {
  static constexpr std::string_view name = "split_kernels";
  static constexpr std::string_view description =
      "compute more kernels than the hardware has in parts";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::concat, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        if (as<net::fully_connected>(g, n) != nullptr)
          split(g, r, n, &net::fully_connected::outputs);
        if (const auto* c = as_alone<net::convolution>(g, n); c != nullptr && c->groups == 1)
          split(g, r, n, &net::convolution::kernels);
      }
      r.finish();
    }
  }

 private:
  template <class Graph, class Op>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n, std::int32_t Op::*count) {
    const auto kernels = as<Op>(g, n)->*count;
    if (kernels <= hw::conv_kernels) return;
    Op whole = std::move(*as<Op>(g, n));  // g grows
    const auto weights = std::exchange(whole.weights, {}), bias = std::exchange(whole.bias, {});
    const auto of = [&](const std::vector<float>& values, std::int32_t k) {
      return values.begin() + static_cast<std::ptrdiff_t>(values.size()) / kernels * k;
    };
    std::vector<typename Graph::id> parts;
    for (std::int32_t first = 0; first < kernels; first += hw::conv_kernels) {
      const auto end = std::min(kernels, first + hw::conv_kernels);
      Op part = whole;
      part.*count = end - first;
      part.weights.assign(of(weights, first), of(weights, end));
      part.bias.assign(of(bias, first), of(bias, end));
      const auto added = r.add(g[n].name + "/kernels", std::move(part), g.inputs(n));
      g[added].shape = {end - first, g[n].shape.h, g[n].shape.w};
      parts.push_back(added);
    }
    g[n].op = net::concat{};
    r.set_inputs(n, parts);
  }
};

}  // namespace nvdlac::pass
