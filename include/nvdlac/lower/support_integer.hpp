// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/move_plan.hpp>
#include <nvdlac/lower/select_channels.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/quantised/move.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// Why boxes cannot be moved on Hw. A cube can be larger than the registers' limits only where it
// is copied in parts; what computes it has its own limits.
template <class Hw>
constexpr reason why_no_move(std::span<const net::box> boxes, net::shape out,
                             std::span<const net::shape> in, hw::precision p) {
  const auto atom = static_cast<std::int32_t>(layer::lanes_of(Hw::spec.atom(), p));
  auto plan = plan_move(boxes, out, in, atom);
  if (plan.single_elements) {
    const auto m = move_single_elements(boxes, out, in, atom);
    return why_no_selection<Hw>(m.in, m.out, p, m.source);
  }
  if (plan.boxes.empty() && !boxes.empty()) return reason::single_elements_of_a_large_cube;
  if (plan.only_channels) return why_no_selection<Hw>(in[0], out, p, plan.selection);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto source = gathered_origins(plan, static_cast<std::int32_t>(i), atom);
    const net::shape gathered{static_cast<std::int32_t>(source.size()), in[i].h, in[i].w};
    if (const auto why = why_no_selection<Hw>(in[i], gathered, p, source); why != reason::none)
      return why;
  }
  if (plan.results_in_place) return reason::none;
  std::vector<std::int32_t> order(static_cast<std::size_t>(out.c), -1);
  const auto channels = stack_results(plan, atom, order);
  return why_no_selection<Hw>({channels, out.h, out.w}, out, p, order);
}

template <class Hw>
struct support<net::move, Hw> {
  static constexpr reason check(const net::move& op, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return why_no_move<Hw>({op.boxes.data(), op.boxes.size()}, op.target, in, p);
  }
};
template <class Hw>
struct support<quantised::move, Hw> {
  static constexpr reason check(const quantised::move& op, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return why_no_move<Hw>({op.boxes.data(), op.boxes.size()}, op.target, in, p);
  }
};

// What runs where, of the integer operators: quantisation makes none that the hardware lacks, but
// networks that are written in integers can hold any.
template <class Hw> struct support<quantised::input, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::constant, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::scale, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::add, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::multiply, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::extremum, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::clip, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::prelu, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::concat, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::reshape, Hw> : always_supported<Hw> {};
template <class Hw> struct support<quantised::on_host, Hw> : always_supported<Hw> {};

template <class Hw>
struct support<quantised::convolution, Hw> {
  static constexpr reason check(const quantised::convolution& op,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return check_groups<Hw>(op.kernels, op.groups, op.window, in[0], p, in.size() > 1);
  }
};

template <class Hw>
struct support<quantised::pool, Hw> {
  static constexpr reason check(const quantised::pool& op, std::span<const net::shape> in) {
    constexpr auto most = hw::limits<Hw::spec.map>::pdp::firmware_stride;
    if (std::cmp_greater(std::max(op.window.stride_h, op.window.stride_w), most))
      return reason::stride_above_8;
    return support<net::pool, Hw>::check({.kind = op.kind,
                                          .window = op.window,
                                          .ceil = op.ceil,
                                          .count_include_pad = op.count_include_pad},
                                         in);
  }
};

template <class Hw>
struct support<quantised::average, Hw> {
  static constexpr reason check(const quantised::average& op, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    if (p != hw::precision::int8) return reason::precision_is_not_lowered;
    return check_groups<Hw>(in[0].c, in[0].c, op.window, in[0]);
  }
};

template <class Hw>
struct support<quantised::lookup, Hw> {
  static constexpr reason check(const quantised::lookup&, std::span<const net::shape> in) {
    return support<net::activation, Hw>::check({}, in);
  }
};

template <class Hw>
struct support<quantised::convert, Hw> {
  static constexpr reason check(const quantised::convert& op, std::span<const net::shape>,
                                hw::precision p = hw::precision::int8) {
    using enum hw::precision;
    if ((p == int8 && op.to == fp16) || (p == fp16 && op.to == int8))
      return reason::int8_and_fp16_meet_in_int16;
    return check_precision<Hw>(op.to);
  }
};

template <class Hw>
struct support<quantised::lrn, Hw> {
  static constexpr reason check(const quantised::lrn& op, std::span<const net::shape> in) {
    return support<net::lrn, Hw>::check({.local_size = op.local_size}, in);
  }
};

template <class Hw>
struct support<quantised::softmax, Hw> {
  static constexpr reason check(const quantised::softmax&, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    if (p == hw::precision::int16) return reason::precision_is_not_lowered;
    return support<net::softmax, Hw>::check({}, in);
  }
};

// Pixels are converted on their way into a convolution; nothing else can read them.
template <class Graph>
constexpr reason reason_in_network(const Graph& g, std::size_t n, const quantised::input& op) {
  bool allowed = !op.pixels || !g.is_output(n);
  if (op.pixels)
    for (const auto reader : g.consumers(n)) {
      const auto* conv = g.template get_if<quantised::convolution>(reader);
      allowed = allowed && conv != nullptr && conv->groups == 1 && g.inputs(reader)[0] == n &&
                (g.inputs(reader).size() == 1 || g.inputs(reader)[1] != n);
    }
  return allowed ? reason::none : reason::pixels_are_not_read_by_a_convolution;
}
// A reshape that moves data is done by whoever reads the network's output.
template <class Graph>
constexpr reason reason_in_network(const Graph& g, std::size_t n, const quantised::reshape&) {
  const auto is_column = [](net::shape s) { return s.h == 1 && s.w == 1; };
  const net::shape in = g.shape(g.inputs(n)[0]), out = g.shape(n);
  if (in == out || (is_column(in) && is_column(out))) return reason::none;
  for (const auto reader : g.consumers(n)) {
    const auto* again = g.template get_if<quantised::reshape>(reader);
    if (again == nullptr || reason_in_network(g, reader, *again) != reason::none)
      return reason::reshape_moves_data;
  }
  return reason::none;
}
// Why node n, whose operator alone runs, does not run where it stands in the network.
template <class Graph, class Op>
constexpr reason reason_in_network(const Graph&, std::size_t, const Op&) {
  return reason::none;
}

// A picture in memory: three channels are stored as four, as in X8B8G8R8.
constexpr layer::surface picture_cube(net::shape picture) {
  layer::surface s{.shape = {picture.c == 1 ? 1 : 4, picture.h, picture.w}};
  const auto line = static_cast<std::uint64_t>(s.shape.w) * static_cast<std::uint64_t>(s.shape.c);
  s.line_stride = static_cast<std::uint32_t>(align_up(line, 32));
  s.size = s.line_stride * static_cast<std::uint64_t>(s.shape.h);
  return s;
}

// Why a convolution cannot read pixels.
template <class Hw>
constexpr reason reason_of_pixels(const quantised::convolution& op, net::shape in,
                                  hw::precision p) {
  const net::shape out = op.infer(std::array{in});
  return check_convolution<Hw>(picture_cube(in).shape, out, op.window, true, p);
}

// Throws if Hw cannot compute the operator on the cubes that it reads.
template <class Hw, class Op>
constexpr void require_support(const site<Op>& s) {
  std::vector<net::shape> in;
  for (const auto& cube : s.in) in.push_back(cube.shape);
  const auto p = s.in.empty() ? s.out.precision : s.in[0].precision;
  if (const auto why = check_support<Hw>(s.op, in, p); why != reason::none)
    throw error(problem{.layer = s.name,
                        .reason = text(type_name<Op>(), " does not run on ", hw::name<Hw>(), ": ",
                                       to_text(why))});
}

}  // namespace nvdlac::lower
