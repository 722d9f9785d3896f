// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/fixed.hpp>
#include <nvdlac/net/integer/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// The slope of negative numbers: saturate<32>(round_shift(x * slope, shift)).
constexpr std::int64_t sloped(std::int64_t x, std::int16_t slope, int shift) {
  return x >= 0 ? x : saturate<32>(round_shift(x * slope, shift));
}

// y = saturate<8>(out(sloped(x * multiplier, slope[c], shift)))
struct prelu {
  static constexpr arity inputs{1, 1};

  std::int16_t multiplier = 1;
  constants<std::int16_t> slope{};  // [C] or one for all
  std::uint8_t shift = 0;           // 0..63
  converter out{};

  constexpr std::int8_t finish(std::int8_t x, std::size_t channel) const {
    const auto y = sloped(std::int64_t{x} * multiplier, slope[slope.size() == 1 ? 0 : channel],
                          shift);
    return static_cast<std::int8_t>(saturate<8>(out(y)));
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (shift > 63) return {rule::shift_above_its_range, "shift", {63}};
    return in[0];
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope", found, layer);
  }
  constexpr fitting fit_constants(std::span<const shape> in) const {
    return fit_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope");
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y = *in[0];
    infer(shapes_of(in));
    fit_constants(std::array{y.shape}).value();
    require_known(slope, "slope");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = finish(y.values[i], i / area);
    return y;
  }
};
static_assert(operation<prelu>);

}  // namespace nvdlac::net::integer
