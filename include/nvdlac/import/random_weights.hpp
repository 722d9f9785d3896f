// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// Noise for an array: weights divided by what one output sums up, factors and variances around 1.
inline std::vector<float> noise(const std::vector<std::uint32_t>& seed,
                                const std::vector<std::int64_t>& shape, std::string_view what) {
  double middle = 0, reach = 0.1;
  std::int64_t count = 1, taps = 1;
  for (const auto n : shape) count = net::product({count, n});
  for (std::size_t i = 1; i < shape.size(); ++i) taps = net::product({taps, shape[i]});
  if (what == "weights") reach = std::sqrt(6.0 / static_cast<double>(taps));
  if (what == "variance" || what == "factor") middle = 1, reach = 0.25;
  if (what == "slopes") middle = 0.2;
  if (what == "moving-average factor") middle = 1, reach = 0;
  require_within(&budget::weights, static_cast<std::uint64_t>(count));
  std::seed_seq numbers(seed.begin(), seed.end());
  std::mt19937 random(numbers);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values)  // no std distribution, which differ between libraries
    v = static_cast<float>(middle + (static_cast<double>(random()) / 2147483648.0 - 1) * reach);
  return values;
}

// Noise in place of what the layers of a network learnt; constants that are no weights stay.
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
      values = noise(by.of(g[n].name, number++), shape, what);
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
