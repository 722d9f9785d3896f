// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/lower/element_move.hpp>
#include <nvdlac/lower/move_plan.hpp>
#include <nvdlac/lower/select_channels.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/net/integer/move.hpp>
#include <nvdlac/net/move.hpp>

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
struct support<net::integer::move, Hw> {
  static constexpr reason check(const net::integer::move& op, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return why_no_move<Hw>({op.boxes.data(), op.boxes.size()}, op.target, in, p);
  }
};

}  // namespace nvdlac::lower
