// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

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

}  // namespace nvdlac::quantised
