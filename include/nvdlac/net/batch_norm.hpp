// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace nvdlac::net {

// y[c] = gamma[c] * (x[c] - mean[c]) / sqrt(variance[c] + epsilon) + beta[c]
struct batch_norm {
  std::vector<float> mean{}, variance{};  // [C]
  std::vector<float> gamma{}, beta{};     // [C], or empty: 1 and 0
  float epsilon = 1e-5F;
};

}  // namespace nvdlac::net
