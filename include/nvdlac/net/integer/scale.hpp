// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
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

// SDP's X1 and X2 over a tensor in memory:
// y = saturate<8>(out(relu(saturate<32>(x * multiplier[c] + (addend[c] << addend_shift)))))
struct scale {
  static constexpr arity inputs{1, 1};

  constants<std::int16_t> multiplier{};  // [C] or one for all
  constants<std::int16_t> addend{};      // [C], one for all, or empty: nothing is added
  std::uint8_t addend_shift = 0;      // 0..16
  bool relu = false;
  converter out{};                    // offset 0

  constexpr std::int8_t finish(std::int8_t x, std::size_t channel) const {
    const auto of = [&](const auto& v) { return std::int64_t{v[v.size() == 1 ? 0 : channel]}; };
    std::int64_t y = x * of(multiplier);
    if (!addend.empty()) y = saturate<32>(y + (of(addend) << addend_shift));
    return static_cast<std::int8_t>(saturate<8>(out(relu ? std::max<std::int64_t>(y, 0) : y)));
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (addend_shift > 16) return {rule::shift_above_its_range, "addend shift", {16}};
    return in[0];
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(multiplier, multiplier.size() == 1 ? 1 : in[0].c, "multiplier", found, layer);
    if (addend.size() > 1) check_values(addend, in[0].c, "addend", found, layer);
  }
  constexpr fitting fit_constants(std::span<const shape> in) const {
    return all_of({fit_values(multiplier, multiplier.size() == 1 ? 1 : in[0].c, "multiplier"),
                   addend.size() > 1 ? fit_values(addend, in[0].c, "addend") : in[0]});
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> in) const {
    int8_tensor y = *in[0];
    infer(shapes_of(in));
    fit_constants(std::array{y.shape}).value();
    require_known(multiplier, "multiplier");
    require_known(addend, "addend");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = finish(y.values[i], i / area);
    return y;
  }
};
static_assert(operation<scale>);

}  // namespace nvdlac::net::integer
