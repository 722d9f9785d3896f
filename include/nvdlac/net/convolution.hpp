// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

// y[k] = bias[k] + sum over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][..][..]
struct convolution {
  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::vector<float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<float> bias{};     // [kernels], or empty: no bias
  bool relu = false;             // a fused activation
};

}  // namespace nvdlac::net
