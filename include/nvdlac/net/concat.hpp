// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of a concatenation of channels.
constexpr shape infer_concat(std::span<const shape> in) {
  std::int64_t c = 0;
  for (const shape s : in) {
    if (s.h != in[0].h || s.w != in[0].w)
      throw error(text("its inputs have different heights or widths, ", in[0], " and ", s));
    c += s.c;
  }
  return checked_shape(c, in[0].h, in[0].w);
}

// The channels of all inputs, one behind the other; at least one input, equal heights and widths.
struct concat {
  static constexpr arity inputs{1, any_number};

  constexpr shape infer(std::span<const shape> in) const { return infer_concat(in); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{infer(shapes_of(in)), {}};
    for (const float_tensor* x : in)
      y.values.insert(y.values.end(), x->values.begin(), x->values.end());
    return y;
  }
};
static_assert(operation<concat>);

}  // namespace nvdlac::net
