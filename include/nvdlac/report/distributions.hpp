// SPDX-License-Identifier: Apache-2.0
#pragma once
// How values are distributed: weights by channel, activations by magnitude.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/observer.hpp>

namespace nvdlac::report {

// Each layer with weights: the largest magnitudes of its output channels, from the smallest
// channel over the quartiles to the largest.
template <class Json, class Graph>
Json weight_ranges(const Graph& g) {
  Json all = Json::array();
  for (const auto n : g.order()) nvdlac::visit([&]<class Op>(const Op& op) {
    if constexpr (requires { op.weights; }) {
      std::size_t channels = 0;
      if constexpr (requires { op.kernels; }) channels = static_cast<std::size_t>(op.kernels);
      else channels = static_cast<std::size_t>(g[n].shape.c);
      if (channels == 0 || op.weights.size() % channels != 0 || op.weights.empty()) return;
      const auto taps = op.weights.size() / channels;
      std::vector<float> largest;
      for (std::size_t k = 0; k < channels; ++k) {
        float most = 0;
        for (const float w : std::span(op.weights).subspan(k * taps, taps))
          most = std::max(most, std::fabs(w));
        largest.push_back(most);
      }
      std::ranges::sort(largest);
      Json quartiles = Json::array();
      for (std::size_t q = 0; q <= 4; ++q) quartiles.push_back(largest[q * (channels - 1) / 4]);
      all.push_back({{"layer", g[n].name}, {"channels", channels}, {"quartiles", quartiles}});
    }
  }, g[n].op);
  return all;
}

// Bins of equal width from 0 to beyond the largest magnitude, at most `most` of them.
template <class Json>
Json histogram(const quant::magnitudes& seen, std::size_t most = 64) {
  const auto merged = std::max<std::size_t>(1, in_memory(ceil_div(seen.used(), most)));
  std::vector<std::uint64_t> bins(in_memory(ceil_div(seen.used(), merged)));
  for (std::size_t i = 0; i < seen.used(); ++i) bins[i / merged] += seen.counts()[i];
  return {{"bin_width", seen.bin_width() * static_cast<double>(merged)}, {"counts", bins},
          {"zeros", seen.zeros()}, {"largest", seen.largest()}};
}

}  // namespace nvdlac::report
