// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that move elements, at most into another scale.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// Elements that change their places, all inputs and the result having one scale. Every element of
// the result belongs to one box.
struct move {
  static constexpr net::arity inputs{1, net::any_number};

  net::shape target{};
  net::constants<net::box> boxes{};
  std::int16_t fill = 0;  // of boxes without an input: int8, int16 or the bits of fp16
  static constexpr void fields(auto&& field) {
    field("target", &move::target);
    field("boxes", &move::boxes);
    field("fill", &move::fill);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (!boxes.known()) return {net::rule::constants_that_only_have_a_size, "boxes"};
    return fit_boxes(target, {boxes.data(), boxes.size()}, in);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape>, diagnostics& found, const std::string& layer) const {
    check_boxes(target, {boxes.data(), boxes.size()}, found, layer);
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y{infer(shapes_of(in))};
    T filled{};
    if constexpr (sizeof(T) == 1) filled = static_cast<T>(fill);
    else filled = std::bit_cast<T>(fill);
    move_elements({boxes.data(), boxes.size()}, in, filled, y);
    return y;
  }
};
static_assert(net::operation<move>);

// Input i is copied, or rescaled: saturate<8>(round_shift((x - zeros[i]) * multiplier[i], shift) +
// zero); in int16 saturate<16>. In fp16 all are copied.
struct concat {
  static constexpr net::arity inputs{1, net::any_number};

  net::constants<std::optional<std::int16_t>> multiplier{};  // by input; nullopt: copied
  std::uint8_t shift = 0;                               // 0..63
  net::constants<std::int8_t> zeros{};  // what stands for 0, by input; empty: `zero`
  std::int8_t zero = 0;            // the same in the output
  static constexpr void fields(auto&& field) {
    field("multiplier", &concat::multiplier);
    field("shift", &concat::shift);
    field("zeros", &concat::zeros);
    field("zero", &concat::zero);
  }

  constexpr std::int8_t zero_of(std::size_t input) const {
    return zeros.empty() ? zero : zeros[input];
  }

  template <class T>
  constexpr T finish(T x, std::size_t input) const {
    if (!multiplier[input]) return x;
    if constexpr (is_real<T>) throw error("a concat of fp16 does not rescale");
    else
      return written<T>(
          round_shift((std::int64_t{x} - zero_of(input)) * *multiplier[input], shift) + zero,
          false);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const { return fit_concat(in); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape> in, diagnostics& found, const std::string& layer) const;
  constexpr net::fitting fit_constants(std::span<const net::shape> in) const {
    const auto count = static_cast<std::int64_t>(in.size());
    return net::all_of(
        {fit_values(multiplier, count, "multiplier"), fit_known(multiplier, "multiplier"),
         zeros.empty() ? in[0] : fit_values(zeros, count, "zeros"), fit_known(zeros, "zeros")});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    const auto shapes = shapes_of(in);
    net::tensor<T> y{infer(shapes), {}};
    fit_constants(shapes).value();
    for (std::size_t i = 0; i < in.size(); ++i)
      for (const T x : in[i]->values) y.values.push_back(finish(x, i));
    return y;
  }
};
static_assert(net::operation<concat>);

// Gives values in dense c-h-w order another shape. Costs nothing when height and width
// are 1 before and after; else it is done by the host, on a graph's output only.
struct reshape {
  static constexpr net::arity inputs{1, 1};

  net::shape target{};
  static constexpr void fields(auto&& field) { field("target", &reshape::target); }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    return fit_reshape(target, in[0]);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(net::operation<reshape>);

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/move.ipp>
#endif
