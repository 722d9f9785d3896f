// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/reason_of.hpp>
#include <nvdlac/net/network.hpp>

namespace nvdlac {

// What stands in the compile error: which operator, on which hardware, and why not. It is not
// const, so that no constant expression can have its value.
template <class Operator, class Hardware, lower::reason Why>
bool unsupported = true;

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

// Makes the reason a part of a name, so that every compiler prints it.
template <class Operator, class Hardware, std::size_t... I>
constexpr bool is_none(reason why, std::index_sequence<I...>) {
  return !((static_cast<std::size_t>(why) == I + 1 &&
            unsupported<Operator, Hardware, static_cast<reason>(I + 1)>) || ...);
}
template <class Operator, class Hardware>
constexpr bool is_none(reason why) {
  return is_none<Operator, Hardware>(why, std::make_index_sequence<reasons - 1>{});
}

}  // namespace lower::detail

// static_assert(nvdlac::runs_on<nv_small>(net)): true, or a compile error that names what
// cannot run: unsupported<lrn, nv_small, reason::lrn_size_is_not_3_5_7_9>. To ask without failing:
// lower::reason_of<nv_small>(net) == lower::reason::none.
template <hw::hardware Hw, hw::precision P = hw::precision::int8, class... Nodes>
consteval bool runs_on(const net::network<Nodes...>& network) {
  namespace ask = lower::detail;
  const auto reasons = lower::reasons_of<Hw>(network);
  std::size_t n = 0;
  return ask::is_none<ask::data_type<P>, Hw>(lower::check_precision<Hw>(P)) &&
         (ask::is_none<typename Nodes::operator_type, Hw>(reasons[n++]) && ...);
}

// The same for a kind of operator: static_assert(nvdlac::runs_on<net::pool, nv_small>()).
template <net::operation Op, hw::hardware Hw>
consteval bool runs_on() {
  return lower::detail::is_none<Op, Hw>(lower::reason_of<Op, Hw>());
}

}  // namespace nvdlac
