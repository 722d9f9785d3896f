// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/normalisation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::shape lp_normalise::infer(std::span<const net::shape> in) const {
  if (p != 1 && p != 2)
    throw error(text("the norm of p = ", p, " is not supported, 1 and 2 are"));
  return in[0];
}

NVDLAC_IMPL net::float_tensor lp_normalise::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return with_lines(*in[0], axes, [this](std::span<double> x) {
    double sum = p == 2 ? double{epsilon} : 0;
    for (const double v : x) sum += p == 2 ? v * v : std::fabs(v);
    const double norm = p == 2 ? std::sqrt(sum) : sum;
    if (norm > 0)
      for (double& v : x) v /= norm;
  });
}

NVDLAC_IMPL net::shape mean_variance::infer(std::span<const net::shape> in) const {
  const auto along = in[0].size() / reduced(in[0], axes).size();
  const auto needed = per_channel ? static_cast<std::size_t>(in[0].c) : along;
  if (per_channel && axes[0]) throw error("it has factors of channels that it goes over");
  for (const auto* v : {&gamma, &beta})
    if (!v->empty() && v->size() != needed)
      throw error(text("it has ", v->size(), " factors or biases instead of ", needed));
  return in[0];
}

NVDLAC_IMPL net::float_tensor mean_variance::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y = *in[0];
  std::size_t number = 0;
  const std::size_t lines_of_channel = reduced({1, y.shape.h, y.shape.w}, axes).size();
  for_each_line(y.shape, axes, [&](const std::vector<std::size_t>& line) {
    const auto n = static_cast<double>(line.size());
    double mean = 0, variance = 0;
    for (const auto i : line) mean += double{y.values[i]} / n;
    for (const auto i : line) {
      const double d = double{y.values[i]} - mean;
      variance += d * d / n;
    }
    const double e{epsilon};
    const double deviation =
        !divide ? 1 : epsilon_behind_root ? std::sqrt(variance) + e : std::sqrt(variance + e);
    for (std::size_t k = 0; k < line.size(); ++k) {
      const std::size_t at = per_channel ? number / lines_of_channel : k;
      const double factor = gamma.empty() ? 1 : double{gamma[at]};
      const double bias = beta.empty() ? 0 : double{beta[at]};
      float& v = y.values[line[k]];
      v = static_cast<float>((double{v} - mean) / deviation * factor + bias);
    }
    ++number;
  });
  return y;
}

NVDLAC_IMPL net::float_tensor lrn_within_channel::evaluate(
    std::span<const net::float_tensor* const> in) const {
  const net::float_tensor& x = *in[0];
  net::float_tensor y{infer(net::shapes_of(in))};
  const double mean = double{alpha} / (1.0 * local_size * local_size);
  const auto [channels, height, width] = x.shape;
  const auto half = std::min(local_size / 2, std::max(height, width));
  for (std::int32_t c = 0; c < channels; ++c)
    for (std::int32_t row = 0; row < height; ++row)
      for (std::int32_t column = 0; column < width; ++column) {
        double sum = 0;
        for (auto r = std::max(row - half, 0); r <= std::min(row + half, height - 1); ++r)
          for (auto k = std::max(column - half, 0); k <= std::min(column + half, width - 1); ++k)
            sum += double{x.at(c, r, k)} * double{x.at(c, r, k)};
        y.at(c, row, column) = static_cast<float>(double{x.at(c, row, column)} /
                                                  std::pow(1 + mean * sum, double{beta}));
      }
  return y;
}

}  // namespace nvdlac::host
