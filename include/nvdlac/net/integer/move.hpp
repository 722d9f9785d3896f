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

namespace nvdlac::net::integer {

// Elements that change their places, all inputs and the result having one scale. Every element of
// the result belongs to one box.
struct move {
  static constexpr arity inputs{1, any_number};

  shape target{};
  constants<box> boxes{};
  std::int16_t fill = 0;  // of boxes without an input: int8, int16 or the bits of fp16
  static constexpr void fields(auto&& field) {
    field("target", &move::target);
    field("boxes", &move::boxes);
    field("fill", &move::fill);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (!boxes.known()) return {rule::constants_that_only_have_a_size, "boxes"};
    return fit_boxes(target, {boxes.data(), boxes.size()}, in);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_boxes(target, {boxes.data(), boxes.size()}, found, layer);
  }
  template <class T>
  tensor<T> evaluate(std::span<const tensor<T>* const> in) const {
    tensor<T> y{infer(shapes_of(in))};
    T filled{};
    if constexpr (sizeof(T) == 1) filled = static_cast<T>(fill);
    else filled = std::bit_cast<T>(fill);
    move_elements({boxes.data(), boxes.size()}, in, filled, y);
    return y;
  }
};
static_assert(operation<move>);

}  // namespace nvdlac::net::integer
