// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of an element-wise operator of two inputs.
constexpr shape infer_elementwise(std::span<const shape> in) {
  if (in[0] != in[1])
    throw error(text("its inputs have different shapes, ", in[0], " and ", in[1]));
  return in[0];
}

// The sum of two tensors of one shape.
struct add {
  static constexpr arity inputs{2, 2};

  bool relu = false;

  constexpr shape infer(std::span<const shape> in) const { return infer_elementwise(in); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    infer(shapes_of(in));
    float_tensor y = *in[0];
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      const float v = y.values[i] + in[1]->values[i];
      y.values[i] = relu ? std::max(v, 0.0F) : v;
    }
    return y;
  }
};
static_assert(operation<add>);

}  // namespace nvdlac::net
