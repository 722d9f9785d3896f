// SPDX-License-Identifier: Apache-2.0
#pragma once
// What changes no value.
#include <cstdint>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of a reshape, real or integer.
constexpr fitting fit_reshape(shape target, shape in) {
  const fitting out = fit_shape(target);
  if (out.ok() && target.size() != in.size())
    return {rule::reshape_to_another_number_of_elements,
            {in.c, in.h, in.w, target.c, target.h, target.w}};
  return out;
}

// The same values in dense c-h-w order under another shape of the same size.
struct reshape {
  static constexpr arity inputs{1, 1};

  net::shape target{};
  static constexpr void fields(auto&& field) { field("target", &reshape::target); }

  constexpr fitting fit(std::span<const shape> in) const { return fit_reshape(target, in[0]); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<reshape>);

// A reshape to (c*h*w) x 1 x 1.
struct flatten {
  static constexpr arity inputs{1, 1};

  constexpr fitting fit(std::span<const shape> in) const {
    return fit_shape(static_cast<std::int64_t>(in[0].size()), 1, 1);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<flatten>);

// y = x: dropout at inference, Caffe's Split, ONNX's Identity.
struct identity {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const { return *in[0]; }
};
static_assert(operation<identity>);

}  // namespace nvdlac::net
