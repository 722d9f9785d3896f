// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of an element-wise operator of two inputs.
constexpr fitting fit_elementwise(std::span<const shape> in) {
  const shape a = in[0], b = in[1];
  if (a != b) return {rule::inputs_of_different_shapes, {a.c, a.h, a.w, b.c, b.h, b.w}};
  return a;
}

// The sum of two tensors of one shape.
struct add {
  static constexpr arity inputs{2, 2};

  bool relu = false;

  constexpr fitting fit(std::span<const shape> in) const { return fit_elementwise(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
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
