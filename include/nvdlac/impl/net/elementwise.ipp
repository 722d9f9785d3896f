// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL float_tensor add::evaluate(std::span<const float_tensor* const> in) const {
  return combined(infer(shapes_of(in)), *in[0], *in[1], [&](float a, float b) {
    const float v = a * coefficients[0] + b * coefficients[1];
    return relu ? std::max(v, 0.0F) : v;
  });
}

NVDLAC_IMPL float_tensor multiply::evaluate(std::span<const float_tensor* const> in) const {
  return combined(infer(shapes_of(in)), *in[0], *in[1],
                  [&](float a, float b) { return relu ? std::max(a * b, 0.0F) : a * b; });
}

NVDLAC_IMPL float_tensor extremum::evaluate(std::span<const float_tensor* const> in) const {
  return combined(infer(shapes_of(in)), *in[0], *in[1], [&](float a, float b) {
    const float v = kind == extremum_kind::maximum ? std::max(a, b) : std::min(a, b);
    return relu ? std::max(v, 0.0F) : v;
  });
}

NVDLAC_IMPL float_tensor
elementwise_prelu::evaluate(std::span<const float_tensor* const> in) const {
  return combined(infer(shapes_of(in)), *in[0], *in[1],
                  [](float a, float b) { return a < 0 ? a * b : a; });
}

}  // namespace nvdlac::net
