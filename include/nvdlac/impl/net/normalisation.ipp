// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL void scale::check(std::span<const shape> in, diagnostics& found,
                              const std::string& layer) const {
  check_values(factor, factor.size() == 1 ? 1 : in[0].c, "factor", found, layer);
  if (!bias.empty()) check_values(bias, bias.size() == 1 ? 1 : in[0].c, "bias", found, layer);
}

NVDLAC_IMPL float_tensor scale::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y = *in[0];
  if (factor.size() != 1) require_values(factor, y.shape.c, "factor");
  if (bias.size() > 1) require_values(bias, y.shape.c, "bias");
  const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const float v = factor_of(i / area) * y.values[i] + bias_of(i / area);
    y.values[i] = relu ? std::max(v, 0.0F) : v;
  }
  return y;
}

NVDLAC_IMPL batch_norm::line batch_norm::on_channel(std::size_t c) const {
  const double factor =
      (gamma.empty() ? 1.0 : static_cast<double>(gamma[c])) /
      std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon));
  return {factor, (beta.empty() ? 0.0 : static_cast<double>(beta[c])) -
                      factor * static_cast<double>(mean[c])};
}

NVDLAC_IMPL void batch_norm::check(std::span<const shape> in, diagnostics& found,
                                   const std::string& layer) const {
  check_values(mean, in[0].c, "mean", found, layer);
  check_values(variance, in[0].c, "variance", found, layer);
  if (!gamma.empty()) check_values(gamma, in[0].c, "gamma", found, layer);
  if (!beta.empty()) check_values(beta, in[0].c, "beta", found, layer);
  for (std::size_t c = 0; c < variance.size(); ++c)
    if (!(static_cast<double>(variance[c]) + static_cast<double>(epsilon) > 0)) {
      found.add({.layer = layer,
                 .reason = text("the variance of channel ", c, " and epsilon are not above 0")});
      break;
    }
}

NVDLAC_IMPL float_tensor batch_norm::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y = *in[0];
  require_values(mean, y.shape.c, "mean");
  require_values(variance, y.shape.c, "variance");
  if (!gamma.empty()) require_values(gamma, y.shape.c, "gamma");
  if (!beta.empty()) require_values(beta, y.shape.c, "beta");
  const std::size_t area = y.values.size() / mean.size();
  for (std::size_t c = 0; c < mean.size(); ++c) {
    const auto [factor, bias] = on_channel(c);
    for (std::size_t i = c * area; i < (c + 1) * area; ++i)
      y.values[i] = static_cast<float>(factor * static_cast<double>(y.values[i]) + bias);
  }
  return y;
}

NVDLAC_IMPL void lrn::check(std::span<const shape>, diagnostics& found,
                            const std::string& layer) const {
  if (!std::isfinite(alpha) || !std::isfinite(beta) || !std::isfinite(k))
    found.add({.layer = layer, .reason = "its alpha, beta or k is not finite"});
}

NVDLAC_IMPL float_tensor lrn::evaluate(std::span<const float_tensor* const> in) const {
  const float_tensor& x = *in[0];
  float_tensor y{infer(shapes_of(in))};
  const std::int32_t half = std::min(local_size / 2, x.shape.c);
  for (std::int32_t c = 0; c < x.shape.c; ++c)
    for (std::int32_t row = 0; row < x.shape.h; ++row)
      for (std::int32_t column = 0; column < x.shape.w; ++column) {
        double sum = 0;
        const std::int32_t last = std::min(c + half, x.shape.c - 1);
        for (std::int32_t i = std::max<std::int32_t>(c - half, 0); i <= last; ++i) {
          const auto v = static_cast<double>(x.at(i, row, column));
          sum += v * v;
        }
        const double base =
            static_cast<double>(k) + static_cast<double>(alpha) / local_size * sum;
        const double divisor = std::pow(base, static_cast<double>(beta));
        const auto v = static_cast<double>(x.at(c, row, column));
        y.at(c, row, column) = static_cast<float>(v / divisor);
      }
  return y;
}

}  // namespace nvdlac::net
