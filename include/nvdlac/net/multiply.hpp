// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>

#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The product of two tensors, element by element.
struct multiply {
  static constexpr arity inputs{2, 2};

  bool relu = false;
  static constexpr void fields(auto&& field) { field("relu", &multiply::relu); }

  constexpr fitting fit(std::span<const shape> in) const { return fit_elementwise(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1],
                    [&](float a, float b) { return relu ? std::max(a * b, 0.0F) : a * b; });
  }
};
static_assert(operation<multiply>);

}  // namespace nvdlac::net
