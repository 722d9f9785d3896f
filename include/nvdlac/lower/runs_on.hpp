// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/base/refuse.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/reason_of.hpp>
#include <nvdlac/net/network.hpp>

namespace nvdlac {

// What stands in the compile error: which operator, on which hardware, and why not.
template <class Operator, class Hardware, lower::reason Why>
struct unsupported {};

namespace lower::detail {

// The data types are asked for as operators are.
template <hw::precision>
struct data_type;

// Reasons are numbered without gaps.
inline constexpr std::size_t reasons = [] {
  std::size_t n = 1;
  while (!to_text(static_cast<reason>(n)).empty()) ++n;
  return n;
}();
using every_reason = std::make_index_sequence<reasons - 1>;

// Makes the reason a part of a type, so that every compiler prints it.
template <class Operator, class Hardware, std::size_t... I>
constexpr bool accept(reason why, const char* layer, std::index_sequence<I...>) {
  return why == reason::none ||
         ((static_cast<std::size_t>(why) == I + 1 &&
           refuse<unsupported<Operator, Hardware, static_cast<reason>(I + 1)>>(layer)) ||
          ...);
}

}  // namespace lower::detail

// static_assert(nvdlac::runs_on<nv_small>(net)): true, or a compile error that names the layer that
// cannot run, and unsupported<lrn, nv_small, reason::lrn_size_is_not_3_5_7_9>. To ask without
// failing: lower::reason_of<nv_small>(net) == lower::reason::none.
template <hw::hardware Hw, hw::precision P = hw::precision::int8, class... Nodes>
consteval bool runs_on(const net::network<Nodes...>& network) {
  namespace ask = lower::detail;
  constexpr ask::every_reason known{};
  const auto layers = shown_names(network.names());
  const auto reasons = lower::reasons_of<Hw>(network, P);
  const lower::reason* why = reasons.data();  // compilers print these names
  const char* const* layer = layers.data();
  return ask::accept<ask::data_type<P>, Hw>(lower::check_precision<Hw>(P), "the network", known) &&
         (ask::accept<typename Nodes::operator_type, Hw>(*why++, *layer++, known) && ...);
}

// The same for a kind of operator: static_assert(nvdlac::runs_on<net::pool, nv_small>()).
template <net::operation Op, hw::hardware Hw>
consteval bool runs_on() {
  constexpr lower::detail::every_reason known{};
  return lower::detail::accept<Op, Hw>(lower::reason_of<Op, Hw>(), "every such layer", known);
}

}  // namespace nvdlac
