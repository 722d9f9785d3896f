// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/lower/atom_copy.hpp>
#include <nvdlac/lower/channel_selection.hpp>
#include <nvdlac/lower/element_moves.hpp>
#include <nvdlac/lower/interleaving.hpp>
#include <nvdlac/lower/line_selection.hpp>
#include <nvdlac/lower/move_plan.hpp>
#include <nvdlac/lower/repetition.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/net/move.hpp>

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

// Without a limit the hardware alone is judged.
inline constexpr auto any_layers = std::numeric_limits<std::uint64_t>::max();

// More than `most` layers are too many. Rubik's way is only asked where the others take so many.
constexpr move_cost cost_of_move(const hw::spec& hw, std::span<const net::box> boxes,
                                 net::shape out, std::span<const net::shape> in, hw::precision p,
                                 std::uint64_t most) {
  if (const auto r = repetition_of(hw, boxes, out, in)) {
    const auto layers = static_cast<std::uint64_t>(r->layers());
    return {layers > most ? reason::too_many_layers : reason::none, layers};
  }
  auto cost = detail::cost_of_boxes(hw, boxes, out, in, p);
  if (cost.why != reason::none || cost.layers <= most) return cost;
  if (hw.rubik) {
    const auto i = find_interleaving(hw, boxes, out, in, p);
    const auto phases = i.phases.size();  // at most one copy for each
    if (i && i.is_stacked()) cost.layers = 1;
    else if (i && i.saves_layers(phases)) cost.layers = phases + 1;
  }
  if (cost.layers > most) cost.why = reason::too_many_layers;
  return cost;
}

// Operators that move boxes.
template <class Move>
struct support_of_moves {
  static constexpr move_cost cost(const hw::spec& hw, const Move& op,
                                  std::span<const net::shape> in, hw::precision p,
                                  std::uint64_t most_layers) {
    return cost_of_move(hw, {op.boxes.data(), op.boxes.size()}, op.target, in, p, most_layers);
  }
  static constexpr reason check(const hw::spec& hw, const Move& op, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return cost(hw, op, in, p, any_layers).why;
  }
};
template <>
struct standard_support<net::move> : support_of_moves<net::move> {};

// A data type that a configuration has not, and where it is.
inline std::string lack_of(hw::precision p) {
  return text("the configuration does not have the data type ", hw::name_of(p),
              ": nv_full has it (`nvdlac configs` tells those of each)");
}

// The layers that an operator would take which takes too many; 0: it does not run for other
// reasons.
template <class Op>
constexpr std::uint64_t excess_of(const hw::spec& hw, const Op& op, std::span<const net::shape> in,
                                  hw::precision p, reason why, std::uint64_t most_layers) {
  const bool asked =
      why == reason::too_many_layers || why == reason::single_elements_of_a_large_cube;
  if constexpr (requires { standard_support<Op>::cost(hw, op, in, p, most_layers); })
    if (asked) return standard_support<Op>::cost(hw, op, in, p, most_layers).layers;
  return 0;
}
// The reason with what it would take.
template <class Op>
std::string reason_in_words(const hw::spec& hw, const Op& op, std::span<const net::shape> in,
                            hw::precision p, reason why, std::uint64_t most_layers) {
  if (why == reason::precision_is_not_in_the_hardware) return lack_of(p);
  const auto layers = excess_of(hw, op, in, p, why, most_layers);
  if (why == reason::too_many_layers)
    return text("it would take ", layers, " layers, ", most_layers, " at most");
  if (layers > most_layers)
    return text(to_text(why), "; it would take more than ", layers, " layers");
  return std::string(to_text(why));
}

}  // namespace nvdlac::lower
