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

// y = saturate<8>(out(relu(saturate<32>(a * multiplier + (b << operand_shift))))), inputs a, b
struct add {
  static constexpr arity inputs{2, 2};

  std::int16_t multiplier = 1;
  std::uint8_t operand_shift = 0;  // 0..24
  bool relu = false;
  converter out{};

  constexpr std::int8_t finish(std::int8_t a, std::int8_t b) const {
    const std::int64_t y =
        saturate<32>(std::int64_t{a} * multiplier + (std::int64_t{b} << operand_shift));
    return static_cast<std::int8_t>(saturate<8>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (operand_shift > 24) return {rule::shift_above_its_range, "operand shift", {24}};
    return fit_operand(in);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1],
                    [&](std::int8_t a, std::int8_t b) { return finish(a, b); });
  }
};
static_assert(operation<add>);

}  // namespace nvdlac::net::integer
