// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// y[c] = gamma[c] * (x[c] - mean[c]) / sqrt(variance[c] + epsilon) + beta[c]
struct batch_norm {
  static constexpr arity inputs{1, 1};

  std::vector<float> mean{}, variance{};  // [C]
  std::vector<float> gamma{}, beta{};     // [C], or empty: 1 and 0
  float epsilon = 1e-5F;
  static constexpr void fields(auto&& field) {
    field("mean", &batch_norm::mean);
    field("variance", &batch_norm::variance);
    field("gamma", &batch_norm::gamma);
    field("beta", &batch_norm::beta);
    field("epsilon", &batch_norm::epsilon);
  }

  // The same as factor * x + bias, for one channel.
  struct line {
    double factor, bias;
  };
  line on_channel(std::size_t c) const {
    const double factor =
        (gamma.empty() ? 1.0 : static_cast<double>(gamma[c])) /
        std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon));
    return {factor, (beta.empty() ? 0.0 : static_cast<double>(beta[c])) -
                        factor * static_cast<double>(mean[c])};
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
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
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
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
};
static_assert(operation<batch_norm>);

}  // namespace nvdlac::net
