// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// min(max(x, low), high): ReLU6 has 0 and 6.
struct clip {
  static constexpr arity inputs{1, 1};

  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  static constexpr void fields(auto&& field) {
    field("low", &clip::low);
    field("high", &clip::high);
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    if (!(low <= high))
      found.add({.layer = layer, .reason = text("it clips to ", low, " .. ", high)});
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = std::min(std::max(v, low), high);
    return y;
  }
};
static_assert(operation<clip>);

}  // namespace nvdlac::net
