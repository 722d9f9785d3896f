// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of a concatenation of channels.
constexpr fitting fit_concat(std::span<const shape> in) {
  const shape first = in[0];
  std::int64_t c = 0;
  for (const shape s : in) {
    if (s.h != first.h || s.w != first.w)
      return {rule::inputs_of_different_heights_or_widths,
              {first.c, first.h, first.w, s.c, s.h, s.w}};
    c += s.c;
  }
  return fit_shape(c, first.h, first.w);
}

// The channels of all inputs, one behind the other; at least one input, equal heights and widths.
struct concat {
  static constexpr arity inputs{1, any_number};

  constexpr fitting fit(std::span<const shape> in) const { return fit_concat(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{infer(shapes_of(in)), {}};
    for (const float_tensor* x : in)
      y.values.insert(y.values.end(), x->values.begin(), x->values.end());
    return y;
  }
};
static_assert(operation<concat>);

}  // namespace nvdlac::net
