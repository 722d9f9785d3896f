// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/lower/image_views.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/support_of_moves.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/lower/winograd.hpp>
#include <nvdlac/quantised/move.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// Support of integer operators: quantisation makes none that the hardware lacks, but
// networks that are written in integers can hold any.
template <> struct standard_support<quantised::input> : runs_always {};
template <> struct standard_support<quantised::constant> : runs_always {};
// A table and a conversion say for themselves what they need.
template <class Op>
  requires contains<Op, quantised::operators_of_sdp>
struct standard_support<Op> : runs_always {};
template <> struct standard_support<quantised::concat> : runs_always {};
template <> struct standard_support<quantised::reshape> : runs_always {};
template <> struct standard_support<quantised::on_host> : runs_always {};
template <> struct standard_support<quantised::move> : support_of_moves<quantised::move> {};

template <>
struct standard_support<quantised::convolution> {
  static constexpr reason check(const hw::spec& hw, const quantised::convolution& op,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    if (op.winograd)
      return split_winograd(hw, in[0], op.infer(in), p) ? reason::none
                                                        : reason::no_winograd;
    return check_groups(hw, op.kernels, op.groups, op.window, in[0], p, in.size() > 1);
  }
};

template <>
struct standard_support<quantised::pool> {
  static constexpr reason check(const hw::spec& hw, const quantised::pool& op,
                                std::span<const net::shape> in) {
    const auto most = hw::limits_of(hw.map).pdp.firmware_stride;
    if (std::cmp_greater(std::max(op.window.stride_h, op.window.stride_w), most))
      return reason::stride_above_8;
    return standard_support<net::pool>::check(hw, {.kind = op.kind,
                                          .window = op.window,
                                          .ceil = op.ceil,
                                          .count_include_pad = op.count_include_pad},
                                         in);
  }
};

template <>
struct standard_support<quantised::average> {
  static constexpr reason check(const hw::spec& hw, const quantised::average& op,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    if (p == hw::precision::fp16) return reason::precision_is_not_lowered;
    return check_groups(hw, in[0].c, in[0].c, op.window, in[0], p);
  }
};

template <>
struct standard_support<quantised::lookup> {
  static constexpr reason check(const hw::spec& hw, const quantised::lookup&,
                                std::span<const net::shape> in) {
    return standard_support<net::activation>::check(hw, {}, in);
  }
};

template <>
struct standard_support<quantised::convert> {
  static constexpr reason check(const hw::spec& hw, const quantised::convert& op,
                                std::span<const net::shape>,
                                hw::precision p = hw::precision::int8) {
    using enum hw::precision;
    if ((p == int8 && op.to == fp16) || (p == fp16 && op.to == int8))
      return reason::int8_and_fp16_meet_in_int16;
    return check_precision(hw, op.to);
  }
};

template <>
struct standard_support<quantised::lrn> {
  static constexpr reason check(const hw::spec& hw, const quantised::lrn& op,
                                std::span<const net::shape> in) {
    return standard_support<net::lrn>::check(hw, {.local_size = op.local_size}, in);
  }
};

template <>
struct standard_support<quantised::softmax> {
  static constexpr reason check(const hw::spec& hw, const quantised::softmax&,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    if (p == hw::precision::int16) return reason::precision_is_not_lowered;
    return standard_support<net::softmax>::check(hw, {}, in);
  }
};

// Whether nothing reads node n but direct convolutions of one group, as what they convolve.
template <class Graph>
constexpr bool is_read_by_convolutions_alone(const Graph& g, std::size_t n) {
  bool alone = !g.is_output(n);
  for (const auto reader : g.consumers(n)) {
    const auto* conv = g.template get_if<quantised::convolution>(reader);
    alone = alone && conv != nullptr && conv->groups == 1 && !conv->winograd &&
            g.inputs(reader)[0] == n &&
            (g.inputs(reader).size() == 1 || g.inputs(reader)[1] != n);
  }
  return alone;
}

// A picture in memory: three channels are stored as four, as in X8B8G8R8.
constexpr layer::surface picture_cube(net::shape picture) {
  return layer::interleaved({picture.c == 1 ? 1 : 4, picture.h, picture.w});
}

// Why a convolution cannot read pixels.
constexpr reason reason_of_pixels(const hw::spec& hw, const quantised::convolution& op,
                                  net::shape in, hw::precision p) {
  const net::shape out = op.infer(std::array{in});
  return check_convolution(hw, picture_cube(in).shape, out, op.window, true, p);
}

// The image as which convolutions take input n of fp16, by the order of sums that they tell;
// nullopt: they take a feature cube.
template <class Graph>
constexpr std::optional<layer::surface> given_image(const Graph& g, std::size_t n) {
  const auto* input = g.template get_if<quantised::input>(n);
  if (input == nullptr || g.precision(n) != hw::precision::fp16) return std::nullopt;
  for (const std::size_t reader : g.consumers(n)) {
    const auto* op = g.template get_if<quantised::convolution>(reader);
    if (op != nullptr && op->image.is_used() && g.inputs(reader)[0] == n)
      return layer::interleaved({op->image.channels, input->shape.h, input->shape.w},
                                hw::precision::fp16);
  }
  return std::nullopt;
}

// In which order CSC takes what a convolution of fp16 reads of this image.
constexpr quantised::image_order image_order_of(const hw::spec& hw, const layer::surface& image,
                                                const net::window& window) {
  const auto view = pixel_view::of(image);
  return {image.shape.c, kernel_lines(hw, view.image(image).shape.c, view.window(window))};
}

// Why CSC does not add in the order that a convolution tells. Zeros beside the taps would make
// nothing of a number that is none.
template <class Graph>
constexpr reason reason_of_order(const hw::spec& hw, const Graph& g, std::size_t n,
                                 const quantised::convolution& op) {
  constexpr auto other = reason::order_of_an_image_that_csc_does_not_read;
  const auto read = g.inputs(n)[0];
  const auto image = given_image(g, read);
  if (!image) return op.image.is_used() ? other : reason::none;
  const auto view = pixel_view::of(*image);
  const auto shape = view.image(*image).shape, out = op.infer(std::array{g.shape(read)});
  const auto window = view.window(op.window);
  const bool is_cube =
      image->shape.c == g.shape(read).c || image->shape.c == image_view::channels;
  return is_cube && is_read_by_convolutions_alone(g, read) &&
                 op.image == image_order_of(hw, *image, op.window) &&
                 pixel_window(hw, shape.c, window, out.w) == window &&
                 check_convolution(hw, shape, out, window, true, hw::precision::fp16,
                                   g.inputs(n).size() > 1) == reason::none
             ? reason::none
             : other;
}

// Pixels are converted on their way into a convolution; nothing else can read them.
template <>
struct support_in_network<quantised::input> {
  template <class Graph>
  static constexpr reason check(const hw::spec&, const Graph& g, std::size_t n,
                                const quantised::input& op, hw::precision) {
    return !op.pixels || is_read_by_convolutions_alone(g, n)
               ? reason::none
               : reason::pixels_are_not_read_by_a_convolution;
  }
};
template <>
struct support_in_network<quantised::convolution> {
  template <class Graph>
  static constexpr reason check(const hw::spec& hw, const Graph& g, std::size_t n,
                                const quantised::convolution& op, hw::precision p) {
    const auto read = g.inputs(n)[0];
    const auto* from = g.template get_if<quantised::input>(read);
    return from != nullptr && from->pixels ? reason_of_pixels(hw, op, g.shape(read), p)
                                           : reason_of_order(hw, g, n, op);
  }
};
// A reshape that moves data is done by whoever reads the network's output.
template <>
struct support_in_network<quantised::reshape> {
  template <class Graph>
  static constexpr reason check(const hw::spec& hw, const Graph& g, std::size_t n,
                                const quantised::reshape&, hw::precision p) {
    const auto is_column = [](net::shape s) { return s.h == 1 && s.w == 1; };
    const net::shape in = g.shape(g.inputs(n)[0]), out = g.shape(n);
    if (in == out || (is_column(in) && is_column(out))) return reason::none;
    for (const auto reader : g.consumers(n)) {
      const auto* again = g.template get_if<quantised::reshape>(reader);
      if (again == nullptr || check(hw, g, reader, *again, p) != reason::none)
        return reason::reshape_moves_data;
    }
    return reason::none;
  }
};

// Throws if the hardware cannot compute the operator on the cubes that it reads.
template <class Op>
constexpr void require_support(const target& hw, const site<Op>& s) {
  std::vector<net::shape> in;
  for (const auto& cube : s.in) in.push_back(cube.shape);
  const auto p = s.in.empty() ? s.out.precision : s.in[0].precision;
  if (const auto why = check_support(hw, s.op, in, p); why != reason::none)
    throw error(problem{.layer = s.name,
                        .reason = text(type_name<Op>(), " does not run on ", hw.name, ": ",
                                       to_text(why))});
}

}  // namespace nvdlac::lower
