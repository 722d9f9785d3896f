// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <span>
#include <string>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Elements that change their places: slices, padding, transpositions, depth to space, repetition.
// Every element of the result belongs to one box. `find_boxes` makes the boxes of a map, net::stack
// those of a concatenation.
struct move {
  static constexpr arity inputs{1, any_number};

  shape target{};
  constants<box> boxes{};
  float fill = 0;  // of boxes without an input
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
    if (!std::isfinite(fill)) found.add({.layer = layer, .reason = "its fill value is not finite"});
    check_boxes(target, {boxes.data(), boxes.size()}, found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{infer(shapes_of(in))};
    move_elements({boxes.data(), boxes.size()}, in, fill, y);
    return y;
  }
};
static_assert(operation<move>);

}  // namespace nvdlac::net
