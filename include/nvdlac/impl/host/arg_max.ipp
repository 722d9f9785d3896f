// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::float_tensor arg_max::evaluate(
    std::span<const net::float_tensor* const> in) const {
  const net::float_tensor& x = *in[0];
  net::float_tensor y{reduced(x.shape, axes)};
  std::size_t next = 0;
  for_each_line(x.shape, axes, [&](const std::vector<std::size_t>& line) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < line.size(); ++i) {
      const float a = x.values[line[i]], b = x.values[line[best]];
      if (a > b || (last && a == b)) best = i;
    }
    y.values[next++] = static_cast<float>(best);
  });
  return y;
}

NVDLAC_IMPL net::float_tensor hard_max::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return with_lines(*in[0], axes, [](std::span<double> x) {
    const auto best = std::ranges::max_element(x) - x.begin();
    std::ranges::fill(x, 0);
    x[static_cast<std::size_t>(best)] = 1;
  });
}

}  // namespace nvdlac::host
