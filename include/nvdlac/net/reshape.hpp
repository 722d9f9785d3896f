// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of a reshape, real or integer.
constexpr shape infer_reshape(shape target, shape in) {
  const shape out = checked_shape(target);
  if (out.size() != in.size())
    throw error(text("it reshapes ", in, " to ", out, ", which has another number of elements"));
  return out;
}

// The same values in dense c-h-w order under another shape of the same size.
struct reshape {
  static constexpr arity inputs{1, 1};

  net::shape target{};

  constexpr shape infer(std::span<const shape> in) const { return infer_reshape(target, in[0]); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<reshape>);

// A reshape to (c*h*w) x 1 x 1.
struct flatten {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const {
    return checked_shape(static_cast<std::int64_t>(in[0].size()), 1, 1);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<flatten>);

}  // namespace nvdlac::net
