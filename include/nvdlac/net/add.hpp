// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The sum of two tensors, each times its coefficient: 1 and -1 subtract the second.
struct add {
  static constexpr arity inputs{2, 2};

  bool relu = false;
  std::array<float, 2> coefficients{1.0F, 1.0F};
  static constexpr void fields(auto&& field) {
    field("coefficients", &add::coefficients);
    field("relu", &add::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const { return fit_elementwise(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(coefficients, 2, "coefficients", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1], [&](float a, float b) {
      const float v = a * coefficients[0] + b * coefficients[1];
      return relu ? std::max(v, 0.0F) : v;
    });
  }
};
static_assert(operation<add>);

}  // namespace nvdlac::net
