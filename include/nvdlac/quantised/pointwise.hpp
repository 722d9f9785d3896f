// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators of one tensor, which SDP computes element by element.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
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
  void check(std::span<const net::shape> in, diagnostics& found, const std::string& layer) const;
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

// The slope of negative numbers: saturate<32>(round_shift(x * slope, shift)).
constexpr std::int64_t sloped(std::int64_t x, std::int16_t slope, int shift) {
  return x >= 0 ? x : saturate<32>(round_shift(x * slope, shift));
}

constexpr fp32 sloped(fp32 x, std::int16_t slope) {
  return x.sign() == 0 ? x : arithmetic::mul(x, widened(slope));
}

// y = saturate<8>(out(sloped(x * multiplier, slope[c], shift))); in int16 saturate<16>. In fp16
// multiplier and slopes are bits of fp16, and nothing is shifted.
struct prelu {
  static constexpr net::arity inputs{1, 1};

  std::int16_t multiplier = 1;
  net::constants<std::int16_t> slope{};  // [C] or one for all
  std::uint8_t shift = 0;           // 0..63
  converter out{};
  static constexpr void fields(auto&& field) {
    field("multiplier", &prelu::multiplier);
    field("slope", &prelu::slope);
    field("shift", &prelu::shift);
    field("out", &prelu::out);
  }

  template <class T>
  constexpr T finish(T x, std::size_t channel) const {
    const auto of_channel = slope[slope.size() == 1 ? 0 : channel];
    if constexpr (is_real<T>)
      return written(sloped(arithmetic::mul(widened(x), widened(multiplier)), of_channel), false);
    else
      return written<T>(sloped(std::int64_t{x} * multiplier, of_channel, shift), false, out);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape> in, diagnostics& found, const std::string& layer) const {
    check_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope", found, layer);
  }
  constexpr net::fitting fit_constants(std::span<const net::shape> in) const {
    return fit_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope");
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y = *in[0];
    infer(shapes_of(in));
    fit_constants(std::array{y.shape}).value();
    require_known(slope, "slope");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = finish(y.values[i], i / area);
    return y;
  }
};
static_assert(net::operation<prelu>);

// y = min(max(saturate<32>(round_shift(x * multiplier, shift)), low), high), saturated. In fp16 the
// bounds are bits of fp16, and there is no multiplier.
struct clip {
  static constexpr net::arity inputs{1, 1};

  std::int16_t multiplier = 1;
  std::uint8_t shift = 0;  // 0..63
  std::int16_t low = no_low, high = no_high;
  static constexpr void fields(auto&& field) {
    field("multiplier", &clip::multiplier);
    field("shift", &clip::shift);
    field("low", &clip::low);
    field("high", &clip::high);
  }

  template <class T>
  constexpr T finish(T x) const {
    if constexpr (is_real<T>) {
      return written(bounded(widened(x), low, high), false);
    } else {
      const auto y = saturate<32>(round_shift(std::int64_t{x} * multiplier, shift));
      return written<T>(bounded(y, low, high), false);
    }
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (shift > 63) return {net::rule::shift_above_its_range, "shift", {63}};
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y = *in[0];
    infer(shapes_of(in));
    for (auto& v : y.values) v = finish(v);
    return y;
  }
};
static_assert(net::operation<clip>);

// SDP from one precision to another. Integers become out(x), saturated; int16 also becomes the
// nearest fp16, of two the even one. fp16 becomes int16 alone: the nearest integer, halves away
// from 0, saturated.
struct convert {
  static constexpr net::arity inputs{1, 1};

  hw::precision to = hw::precision::fp16;
  converter out{};
  static constexpr void fields(auto&& field) {
    field("to", &convert::to);
    field("out", &convert::out);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  template <class T>
  net::any_tensor evaluate(std::span<const net::tensor<T>* const> in) const {
    net::any_tensor y = make_tensor(to, in[0]->shape);
    nvdlac::visit([&]<class U>(net::tensor<U>& result) {
      for (std::size_t i = 0; i < result.values.size(); ++i)
        result.values[i] = finish<U>(in[0]->values[i]);
    }, y);
    return y;
  }

 private:
  template <class U, class T>
  constexpr U finish(T x) const {
    if constexpr (is_real<T> != is_real<U> && (sizeof(T) == 1 || sizeof(U) == 1))
      throw error("SDP brings neither int8 to fp16 nor fp16 to int8 at once");
    else if constexpr (!is_real<T> && !is_real<U>) return written<U>(x, false, out);
    else if constexpr (!is_real<T>)
      return {static_cast<std::uint16_t>(arithmetic::from_integer<fp16>(out(x)).bits)};
    else if constexpr (is_real<U>) return x;
    else return static_cast<U>(arithmetic::to_integer<16>(fp16{x.bits}));
  }
};
static_assert(net::operation<convert>);

using pointwise_operators = type_list<scale, clip, prelu, convert>;

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/pointwise.ipp>
#endif
