// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/doubts.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL double steps_of(double reach, double scale) { return std::round(reach / scale); }

NVDLAC_IMPL void seen_inputs::observe(std::span<const net::float_tensor> sample) {
  if (++samples == 1) {
    varies.assign(sample.size(), false);
    first.assign(sample.size(), 0);
    largest.resize(sample.size());
  }
  for (std::size_t i = 0; i < std::min(sample.size(), varies.size()); ++i) {
    const auto& v = sample[i].values;
    if (sample[i].shape.h == 1 && sample[i].shape.w == 1) {
      largest[i].resize(v.size());
      for (std::size_t c = 0; c < v.size(); ++c)
        largest[i][c] = std::max(largest[i][c], std::fabs(v[c]));
    }
    varies[i] = varies[i] || v.size() < 2 ||
                std::ranges::any_of(v, [&](float x) { return x != v[0]; });
    if (samples == 1 && !v.empty()) first[i] = v[0];
  }
}

}  // namespace nvdlac::quant
