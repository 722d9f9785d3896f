// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>

#include <nvdlac/net/integer/numbers.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::net::integer {

// SDP from int16 to fp16: the nearest number, of two the even one.
struct convert {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  fp16_tensor evaluate(std::span<const int16_tensor* const> in) const {
    fp16_tensor y{in[0]->shape};
    std::ranges::transform(in[0]->values, y.values.begin(), [](std::int16_t x) {
      return half{static_cast<std::uint16_t>(arithmetic::from_integer<fp16>(x).bits)};
    });
    return y;
  }
};
static_assert(operation<convert>);

}  // namespace nvdlac::net::integer
