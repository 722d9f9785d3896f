// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>

#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The larger or the smaller one of two tensors' elements.
struct extremum {
  static constexpr arity inputs{2, 2};

  extremum_kind kind = extremum_kind::maximum;
  bool relu = false;
  static constexpr void fields(auto&& field) {
    field("kind", &extremum::kind);
    field("relu", &extremum::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const { return fit_elementwise(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1], [&](float a, float b) {
      const float v = kind == extremum_kind::maximum ? std::max(a, b) : std::min(a, b);
      return relu ? std::max(v, 0.0F) : v;
    });
  }
};
static_assert(operation<extremum>);

}  // namespace nvdlac::net
