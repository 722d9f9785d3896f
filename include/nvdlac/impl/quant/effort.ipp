// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/effort.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::array<double, 2> output_judge::errors(const quantised::graph& integers) const {
  const auto outputs = integers.outputs();
  std::vector<std::vector<std::array<double, 2>>> found(given_.size());
  for_all(given_.size(), threads_, [&](std::size_t i) {
    const auto feeds = feeds_of(integers, given_[i], how_);
    const auto out = quantised::evaluate_any(integers, std::span<const quantised::feed>(feeds));
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto& node = integers[outputs[k]];
      found[i].push_back(squares(quantised::real_of(out[k], node.scale, node.zero, node.gain).values,
                                 wanted_[i].at(k).values));
    }
  });
  std::array<double, 2> result{};
  for (std::size_t k = 0; k < outputs.size(); ++k)
    for (std::size_t half = 0; half < 2; ++half) {
      double error = 0, all = 0;
      for (std::size_t i = half; i < found.size(); i += 2)
        error += found[i][k][0], all += found[i][k][1];
      if (all > 0) result[half] += error / all;
    }
  return result;
}

NVDLAC_IMPL double output_judge::error(const quantised::graph& integers) const {
  const auto halves = errors(integers);
  return halves[0] + halves[1];
}

NVDLAC_IMPL std::array<double, 2> output_judge::squares(const std::vector<float>& given,
                                                        const std::vector<float>& wanted) {
  double error = 0, all = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double w{wanted[i]}, off = double{given[i]} - w;
    error += off * off, all += w * w;
  }
  return {error, all};
}

}  // namespace nvdlac::quant
