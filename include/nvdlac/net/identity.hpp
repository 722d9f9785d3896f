// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// y = x: dropout at inference, Caffe's Split, ONNX's Identity.
struct identity {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const { return *in[0]; }
};
static_assert(operation<identity>);

}  // namespace nvdlac::net
