// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace nvdlac::net {

// Local response normalisation across channels:
// y = x / (k + alpha / local_size * sum over local_size channels around c of x^2) ^ beta
struct lrn {
  std::int32_t local_size = 5;
  float alpha = 1e-4F, beta = 0.75F, k = 1.0F;
};

}  // namespace nvdlac::net
