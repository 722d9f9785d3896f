// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// y[c] = factor[c] * x[c] + bias[c]
struct scale {
  static constexpr arity inputs{1, 1};

  std::vector<float> factor{};  // [C] or one for all channels
  std::vector<float> bias{};    // [C], one for all channels, or empty: 0
  bool relu = false;
  static constexpr void fields(auto&& field) {
    field("factor", &scale::factor);
    field("bias", &scale::bias);
    field("relu", &scale::relu);
  }

  float factor_of(std::size_t c) const { return factor[factor.size() == 1 ? 0 : c]; }
  float bias_of(std::size_t c) const {
    return bias.empty() ? 0.0F : bias[bias.size() == 1 ? 0 : c];
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(factor, factor.size() == 1 ? 1 : in[0].c, "factor", found, layer);
    if (!bias.empty()) check_values(bias, bias.size() == 1 ? 1 : in[0].c, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
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
};
static_assert(operation<scale>);

}  // namespace nvdlac::net
