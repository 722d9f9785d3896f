// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding_sums.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL void convolution::check(std::span<const shape> in, diagnostics& found,
                                    const std::string& layer) const {
  check_values(weights, weight_count(in[0]), "weights", found, layer);
  if (!bias.empty()) check_values(bias, kernels, "bias", found, layer);
}

NVDLAC_IMPL float_tensor convolution::evaluate(std::span<const float_tensor* const> in) const {
  const float_tensor& x = *in[0];
  float_tensor y{infer(shapes_of(in))};
  require_values(weights, weight_count(x.shape), "weights");
  if (!bias.empty()) require_values(bias, kernels, "bias");
  const std::size_t area = y.shape.size() / static_cast<std::size_t>(kernels);
  const bool is_sum = with_second == combination::sum;
  sliding_sums(window, x.shape, x.values.data(), y.shape, groups, weights.data(),
               [&](std::size_t k, std::size_t position, std::span<const double> sums) {
                 const auto first = k * area + position;
                 finish_sums(sums, bias.empty() ? 0 : static_cast<double>(bias[k]),
                             in.size() > 1 && is_sum ? in[1]->values.data() + first : nullptr,
                             relu && is_sum, y.values.data() + first);
               });
  if (in.size() == 1 || is_sum) return y;
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    float& v = y.values[i];
    const float z = in[1]->values[i];
    if (with_second == combination::product) v *= z;
    else v = with_second == combination::maximum ? std::max(v, z) : std::min(v, z);
    if (relu) v = std::max(v, 0.0F);
  }
  return y;
}

NVDLAC_IMPL void fully_connected::check(std::span<const shape> in, diagnostics& found,
                                        const std::string& layer) const {
  check_values(weights, weight_count(in[0]), "weights", found, layer);
  if (!bias.empty()) check_values(bias, outputs, "bias", found, layer);
}

NVDLAC_IMPL float_tensor fully_connected::evaluate(std::span<const float_tensor* const> in) const {
  const float_tensor& x = *in[0];
  float_tensor y{infer({&x.shape, 1})};
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

}  // namespace nvdlac::net
