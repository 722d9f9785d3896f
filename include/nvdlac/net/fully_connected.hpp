// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace nvdlac::net {

// y[k] = bias[k] + sum over i of weights[k][i] * x[i], x read in dense c-h-w order.
struct fully_connected {
  std::int32_t outputs = 1;
  std::vector<float> weights{};  // [outputs][C * H * W]
  std::vector<float> bias{};     // [outputs], or empty
  bool relu = false;
};

}  // namespace nvdlac::net
