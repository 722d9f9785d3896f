// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace nvdlac::net {

// y[c] = factor[c] * x[c] + bias[c]
struct scale {
  std::vector<float> factor{};  // [C] or one for all channels
  std::vector<float> bias{};    // [C], one for all channels, or empty: 0
  bool relu = false;
};

}  // namespace nvdlac::net
