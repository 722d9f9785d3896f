// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// SDP's X1 and X2 over a tensor in memory:
// y = saturate<8>(out(relu(saturate<32>(x * multiplier[c] + (addend[c] << addend_shift)))))
// In int16 saturate<16>; in fp16 relu(x * multiplier[c] + addend[c]), these being bits of fp16.
struct scale {
  static constexpr net::arity inputs{1, 1};

  net::constants<std::int16_t> multiplier{};  // [C] or one for all
  net::constants<std::int16_t> addend{};      // [C], one for all, or empty: nothing is added
  std::uint8_t addend_shift = 0;      // 0..16
  bool relu = false;
  converter out{};                    // offset 0
  static constexpr void fields(auto&& field) {
    field("multiplier", &scale::multiplier);
    field("addend", &scale::addend);
    field("addend_shift", &scale::addend_shift);
    field("relu", &scale::relu);
    field("out", &scale::out);
  }

  template <class T>
  constexpr T finish(T x, std::size_t channel) const {
    const auto of = [&](const auto& v) { return v[v.size() == 1 ? 0 : channel]; };
    if constexpr (is_real<T>) {
      auto y = arithmetic::mul(widened(x), widened(of(multiplier)));
      if (!addend.empty()) y = arithmetic::add(y, widened(of(addend)));
      return written(y, relu);
    } else {
      std::int64_t y = std::int64_t{x} * of(multiplier);
      if (!addend.empty()) y = saturate<32>(y + (std::int64_t{of(addend)} << addend_shift));
      return written<T>(y, relu, out);
    }
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (addend_shift > 16) return {net::rule::shift_above_its_range, "addend shift", {16}};
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape> in, diagnostics& found, const std::string& layer) const {
    check_values(multiplier, multiplier.size() == 1 ? 1 : in[0].c, "multiplier", found, layer);
    if (addend.size() > 1) check_values(addend, in[0].c, "addend", found, layer);
  }
  constexpr net::fitting fit_constants(std::span<const net::shape> in) const {
    return net::all_of({fit_values(multiplier, multiplier.size() == 1 ? 1 : in[0].c, "multiplier"),
                        addend.size() > 1 ? fit_values(addend, in[0].c, "addend") : in[0]});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y = *in[0];
    infer(shapes_of(in));
    fit_constants(std::array{y.shape}).value();
    require_known(multiplier, "multiplier");
    require_known(addend, "addend");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = finish(y.values[i], i / area);
    return y;
  }
};
static_assert(net::operation<scale>);

}  // namespace nvdlac::quantised
