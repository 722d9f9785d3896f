// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that move elements and change none.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of a reshape, real or integer.
constexpr fitting fit_reshape(shape target, shape in) {
  const fitting out = fit_shape(target);
  if (out.ok() && target.size() != in.size())
    return {rule::reshape_to_another_number_of_elements,
            {in.c, in.h, in.w, target.c, target.h, target.w}};
  return out;
}

// A reshape: the values in dense c-h-w order stand under another shape of the same size.
struct reshape {
  static constexpr arity inputs{1, 1};

  net::shape target{};
  static constexpr void fields(auto&& field) { field("target", &reshape::target); }

  constexpr fitting fit(std::span<const shape> in) const { return fit_reshape(target, in[0]); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<reshape>);

// A reshape to (c*h*w) x 1 x 1.
struct flatten {
  static constexpr arity inputs{1, 1};

  constexpr fitting fit(std::span<const shape> in) const {
    return fit_shape(static_cast<std::int64_t>(in[0].size()), 1, 1);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(operation<flatten>);

// y = x: dropout at inference, Caffe's Split, ONNX's Identity.
struct identity {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const { return *in[0]; }
};
static_assert(operation<identity>);

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
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<move>);

// The element of its one input, of this shape, for each element that a move gives, in dense c-h-w
// order both; negative where it is filled.
std::vector<std::int32_t> sources_of(const move& m, shape in);

// The shape rule of a concatenation of channels.
constexpr fitting fit_concat(std::span<const shape> in) {
  const shape first = in[0];
  std::int64_t c = 0;
  for (const shape s : in) {
    if (s.h != first.h || s.w != first.w)
      return {rule::inputs_of_different_heights_or_widths,
              {first.c, first.h, first.w, s.c, s.h, s.w}};
    c += s.c;
  }
  return fit_shape(c, first.h, first.w);
}

// The channels of all inputs, one behind the other; at least one input, equal heights and widths.
struct concat {
  static constexpr arity inputs{1, any_number};

  constexpr fitting fit(std::span<const shape> in) const { return fit_concat(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<concat>);

// A concatenation of lines (above one another) or of columns (side by side).
move stack(std::span<const shape> in, bool columns);

// visit(input, channel in it, channel of the result) for each element of what only moves elements,
// of inputs and with a result of these shapes; whether op, one of several, is of that kind.
template <class AnyOperator, class Visit>
bool each_moved(const AnyOperator& op, std::span<const shape> in, shape out, Visit visit) {
  if (const auto* m = std::get_if<move>(&op)) {
    for (const box& b : m->boxes)
      if (b.input == box::filled && m->fill != 0) return false;
    for (const box& b : m->boxes)
      if (b.input != box::filled)
        for_each_element(b, [&](position to, position from) {
          visit(static_cast<std::size_t>(b.input), static_cast<std::size_t>(from.c),
                static_cast<std::size_t>(to.c));
        });
    return true;
  }
  if (!std::holds_alternative<concat>(op) && !std::holds_alternative<reshape>(op) &&
      !std::holds_alternative<flatten>(op) && !std::holds_alternative<identity>(op))
    return false;
  const auto channel = [](std::size_t i, shape s) { return i / shape{1, s.h, s.w}.size(); };
  std::size_t first = 0;
  for (std::size_t k = 0; k < in.size(); first += in[k++].size())
    for (std::size_t i = 0; i < in[k].size(); ++i)
      visit(k, channel(i, in[k]), channel(first + i, out));
  return true;
}

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/move.ipp>
#endif
