// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// x, or slope * x where x is negative. One slope for all channels is a leaky ReLU; the slope -1
// gives the absolute value.
struct prelu {
  static constexpr arity inputs{1, 1};

  std::vector<float> slope{};  // [C] or one for all channels
  static constexpr void fields(auto&& field) { field("slope", &prelu::slope); }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    if (slope.size() != 1) require_values(slope, y.shape.c, "slope");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i)
      if (y.values[i] < 0) y.values[i] *= slope[slope.size() == 1 ? 0 : i / area];
    return y;
  }
};
static_assert(operation<prelu>);

}  // namespace nvdlac::net
