// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/calibrate.hpp>

namespace nvdlac::quant::detail {

NVDLAC_IMPL void require_finite(const net::float_tensor& t, const std::string& layer,
                                std::size_t sample) {
  if (const auto i = net::first_not_finite<float>(t.values); i < t.values.size())
    throw error({.layer = layer,
                 .reason = text("value ", i, " of its tensor is ", t.values[i],
                                " for calibration sample ", sample),
                 .remedy = "check the network's weights and the preprocessing of its input"});
}

NVDLAC_IMPL double highest_expected(double highest, double range) {
  return highest + std::max(0.0, range - highest) / 2;
}

}  // namespace nvdlac::quant::detail
