// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <nvdlac/fixed.hpp>
#include <nvdlac/net/integer/elementwise.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// y = saturate<8>(out(relu(a * b))), inputs a, b
struct multiply {
  static constexpr arity inputs{2, 2};

  bool relu = false;
  converter out{};

  constexpr std::int8_t finish(std::int8_t a, std::int8_t b) const {
    const std::int64_t y = std::int64_t{a} * b;
    return static_cast<std::int8_t>(saturate<8>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
  }

  constexpr fitting fit(std::span<const shape> in) const { return fit_operand(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1],
                    [&](std::int8_t a, std::int8_t b) { return finish(a, b); });
  }
};
static_assert(operation<multiply>);

}  // namespace nvdlac::net::integer
