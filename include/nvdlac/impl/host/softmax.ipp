// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::float_tensor softmax::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return with_lines(*in[0], axes, [](std::span<double> x) {
    std::ranges::copy(net::softmax_of(x.data(), x.size(), 1), x.begin());
  });
}

NVDLAC_IMPL net::float_tensor log_softmax::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return with_lines(*in[0], axes, [](std::span<double> x) {
    const double top = std::ranges::max(x);  // taken off first
    double sum = 0;
    for (const double v : x) sum += std::exp(v - top);
    for (double& v : x) v = v - top - std::log(sum);
  });
}

}  // namespace nvdlac::host
