// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/lower/element_moves.hpp>
#include <nvdlac/lower/interleaving.hpp>
#include <nvdlac/lower/line_selection.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/move_plan.hpp>
#include <nvdlac/lower/select_channels.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/lower/winograd.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/quantised/move.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// Whether boxes can be moved, and the hardware layers that it takes: copies of atoms and
// selections of channels.
struct move_cost {
  reason why = reason::none;
  std::uint64_t layers = 0;
};

namespace detail {

// A cube can be larger than the registers' limits only where it is copied in parts; what computes
// it has its own limits.
constexpr move_cost cost_of_boxes(const hw::spec& hw, std::span<const net::box> boxes,
                                  net::shape out, std::span<const net::shape> in, hw::precision p) {
  const auto atom = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  move_cost cost;
  const auto select = [&](net::shape from, net::shape to, const auto& source) {
    const auto layers = layers_to_select(hw, from, to, p, source);
    if (layers) cost.layers += *layers;
    else cost.why = reason::kernel_does_not_fit_the_cbuf;
    return layers.has_value();
  };
  auto plan = plan_move(boxes, out, in, atom);
  if (plan.single_elements) {
    const auto m = move_single_elements(boxes, out, in, atom);
    if (in.size() > 1) cost.layers = in.size();
    select(m.in, m.out, m.source);
    return cost;
  }
  if (plan.boxes.empty() && !boxes.empty())
    return {reason::single_elements_of_a_large_cube,
            static_cast<std::uint64_t>(
                std::min(cut_count(boxes, is_crossing), column_of(out, atom) / (8 * atom)))};
  if (plan.only_channels) {
    select(in[0], out, plan.selection);
    return cost;
  }
  const auto packed = [&](std::int32_t c, net::shape s) {
    return layer::packed({c, s.h, s.w}, hw.atom(), {}, p);
  };
  const bool selects = selects_lines(hw, plan, in, p);
  std::vector<layer::surface> whole, gathered;
  for (std::size_t i = 0; i < in.size(); ++i) {
    whole.push_back(packed(in[i].c, in[i]));
    if (selects) continue;
    const auto source = gathered_origins(plan, static_cast<std::int32_t>(i), atom);
    const auto c = static_cast<std::int32_t>(source.size());
    if (!select(in[i], {c, in[i].h, in[i].w}, source)) return cost;
    gathered.push_back(packed(c, in[i]));
  }
  auto result = packed(out.c, out);
  if (!plan.results_in_place) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(out.c), -1);
    const auto channels = stack_results(plan, atom, order);
    if (!select({channels, out.h, out.w}, out, order)) return cost;
    result = packed(channels, out);
  }
  for (const auto& piece : plan.pieces) {
    const auto& origin = plan.origins[piece.origin];
    const auto i = static_cast<std::size_t>(std::max<std::int32_t>(origin.input, 0));
    if (selects && origin.input >= 0 && !origin.in_place(atom)) {
      const auto lines = *line_selection_of(plan, piece);
      select({in[i].c, lines.shape.h, lines.shape.w}, lines.shape,
             std::vector<std::int32_t>(lines.source.begin(), lines.source.end()));
      continue;
    }
    const auto& from = origin.in_place(atom) ? whole[i] : gathered[i];
    cost.layers += layers_to_copy(hw, copy_of(hw, plan, piece, from, result).copy);
  }
  return cost;
}

}  // namespace detail

// Rubik's way is only asked where the others take too many.
constexpr move_cost cost_of_move(const hw::spec& hw, std::span<const net::box> boxes,
                                 net::shape out, std::span<const net::shape> in, hw::precision p) {
  auto cost = detail::cost_of_boxes(hw, boxes, out, in, p);
  if (cost.why != reason::none || !budget::exceeded(&budget::layers, cost.layers)) return cost;
  if (hw.rubik) {
    const auto i = find_interleaving(hw, boxes, out, in, p);
    const auto turns = i.turns.size();  // at most one copy for each
    if (i && i.is_stacked()) cost.layers = 1;
    else if (i && i.saves_layers(turns)) cost.layers = turns + 1;
  }
  if (budget::exceeded(&budget::layers, cost.layers)) cost.why = reason::too_many_layers;
  return cost;
}

// Operators that move boxes.
template <class Move>
struct support_of_moves {
  static constexpr move_cost cost(const hw::spec& hw, const Move& op,
                                  std::span<const net::shape> in,
                                  hw::precision p = hw::precision::int8) {
    return cost_of_move(hw, {op.boxes.data(), op.boxes.size()}, op.target, in, p);
  }
  static constexpr reason check(const hw::spec& hw, const Move& op, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return cost(hw, op, in, p).why;
  }
};
template <>
struct standard_support<net::move> : support_of_moves<net::move> {};
template <>
struct standard_support<quantised::move> : support_of_moves<quantised::move> {};

// The layers that an operator would take which takes too many; 0: it does not run for other
// reasons.
template <class Op>
constexpr std::uint64_t excess_of(const hw::spec& hw, const Op& op, std::span<const net::shape> in,
                                  hw::precision p, reason why) {
  const bool asked =
      why == reason::too_many_layers || why == reason::single_elements_of_a_large_cube;
  if constexpr (requires { standard_support<Op>::cost(hw, op, in, p); })
    if (asked) return standard_support<Op>::cost(hw, op, in, p).layers;
  return 0;
}
// The reason with what it would take.
template <class Op>
std::string reason_in_words(const hw::spec& hw, const Op& op, std::span<const net::shape> in,
                            hw::precision p, reason why) {
  const auto layers = excess_of(hw, op, in, p, why);
  const auto most = budget::in_force().layers;
  if (why == reason::too_many_layers)
    return text("it would take ", layers, " layers, ", most, " at most");
  if (layers > most) return text(to_text(why), "; it would take more than ", layers, " layers");
  return std::string(to_text(why));
}

// Support of integer operators: quantisation makes none that the hardware lacks, but
// networks that are written in integers can hold any.
template <> struct standard_support<quantised::input> : runs_always {};
template <> struct standard_support<quantised::constant> : runs_always {};
template <> struct standard_support<quantised::scale> : runs_always {};
template <> struct standard_support<quantised::add> : runs_always {};
template <> struct standard_support<quantised::multiply> : runs_always {};
template <> struct standard_support<quantised::extremum> : runs_always {};
template <> struct standard_support<quantised::clip> : runs_always {};
template <> struct standard_support<quantised::prelu> : runs_always {};
template <> struct standard_support<quantised::concat> : runs_always {};
template <> struct standard_support<quantised::reshape> : runs_always {};
template <> struct standard_support<quantised::on_host> : runs_always {};

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
    if (p != hw::precision::int8) return reason::precision_is_not_lowered;
    return check_groups(hw, in[0].c, in[0].c, op.window, in[0]);
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

// Pixels are converted on their way into a convolution; nothing else can read them.
template <class Graph>
constexpr reason reason_in_network(const Graph& g, std::size_t n, const quantised::input& op) {
  return !op.pixels || is_read_by_convolutions_alone(g, n)
             ? reason::none
             : reason::pixels_are_not_read_by_a_convolution;
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
  return layer::interleaved({picture.c == 1 ? 1 : 4, picture.h, picture.w});
}

// Why a convolution cannot read pixels.
constexpr reason reason_of_pixels(const hw::spec& hw, const quantised::convolution& op,
                                  net::shape in, hw::precision p) {
  const net::shape out = op.infer(std::array{in});
  return check_convolution(hw, picture_cube(in).shape, out, op.window, true, p);
}

// Throws if the hardware cannot compute the operator on the cubes that it reads.
template <class Op>
constexpr void require_support(const target& hw, const site<Op>& s) {
  std::vector<net::shape> in;
  for (const auto& cube : s.in) in.push_back(cube.shape);
  const auto p = s.in.empty() ? s.out.precision : s.in[0].precision;
  if (const auto why = check_support(hw, s.op, in, p); why != reason::none)
    throw error(problem{.layer = s.name,
                        .reason = text(type_name<Op>(), " does not run on ", hw.name, ": ",
                                       reason_in_words(hw, s.op, in, p, why))});
}

}  // namespace nvdlac::lower
