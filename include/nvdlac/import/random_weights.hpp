// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// Noise for an array: weights divided by what one output sums up, factors and variances around 1.
// `most_weights` is budget::weights.
std::vector<float> noise(const std::vector<std::uint32_t>& seed,
                         const std::vector<std::int64_t>& shape, std::string_view what,
                         std::uint64_t most_weights);

// Noise in place of what the layers of a network learnt, as much as that has; constants that are no
// weights stay.
template <class Graph>
void randomise(Graph& g, const random_weights& by) {
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    std::uint32_t number = 0;
    const auto fill = [&](std::vector<float>& values, std::string_view what,
                          std::int32_t rows = 0) {
      if (values.empty()) return;
      const auto count = static_cast<std::int64_t>(values.size());
      std::vector<std::int64_t> shape{count};
      if (rows > 0) shape = {rows, count / rows};
      values = noise(by.of(g[n].name, number++), shape, what, values.size());
    };
    auto& op = g[n].op;
    if (auto* conv = std::get_if<net::convolution>(&op)) {
      fill(conv->weights, "weights", conv->kernels);
      fill(conv->bias, "bias");
    } else if (auto* fc = std::get_if<net::fully_connected>(&op)) {
      fill(fc->weights, "weights", fc->outputs);
      fill(fc->bias, "bias");
    } else if (auto* up = std::get_if<net::deconvolution>(&op)) {
      fill(up->weights, "weights", up->kernels);
      fill(up->bias, "bias");
    } else if (auto* norm = std::get_if<net::batch_norm>(&op)) {
      fill(norm->mean, "mean");
      fill(norm->variance, "variance");
      fill(norm->gamma, "factor");
      fill(norm->beta, "bias");
    } else if (auto* prelu = std::get_if<net::prelu>(&op)) {
      fill(prelu->slope, "slopes");
    }
  }
}

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/random_weights.ipp>
#endif
