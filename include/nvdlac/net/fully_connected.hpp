// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// y[k] = bias[k] + sum over i of weights[k][i] * x[i], x read in dense c-h-w order.
struct fully_connected {
  static constexpr arity inputs{1, 1};

  std::int32_t outputs = 1;
  std::vector<float> weights{};  // [outputs][C * H * W]
  std::vector<float> bias{};     // [outputs], or empty
  bool relu = false;
  static constexpr void fields(auto&& field) {
    field("outputs", &fully_connected::outputs);
    field("weights", &fully_connected::weights);
    field("bias", &fully_connected::bias);
    field("relu", &fully_connected::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    const fitting out = fit_shape(outputs, 1, 1);
    if (out.ok() && weight_count(in[0]) > max_elements) return rule::more_than_268435456_weights;
    return out;
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  constexpr std::int64_t weight_count(shape in) const {
    return product({outputs, in.c, in.h, in.w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    if (!bias.empty()) check_values(bias, outputs, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
    require_values(weights, weight_count(x.shape), "weights");
    if (!bias.empty()) require_values(bias, outputs, "bias");
    const std::size_t n = x.shape.size();
    for (std::size_t k = 0; k < y.values.size(); ++k) {
      double sum = sliding_sum_detail::dot(weights.data() + k * n, x.values.data(), n);
      if (!bias.empty()) sum += static_cast<double>(bias[k]);
      if (relu) sum = std::max(sum, 0.0);
      y.values[k] = static_cast<float>(sum);
    }
    return y;
  }
};
static_assert(operation<fully_connected>);

}  // namespace nvdlac::net
