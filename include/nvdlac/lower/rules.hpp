// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of a configuration: those that all share, unless it has rules of its own.
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/activation.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/elementwise.hpp>
#include <nvdlac/lower/host.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/lrn.hpp>
#include <nvdlac/lower/move.hpp>
#include <nvdlac/lower/pool.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

namespace detail {

template <class Op>
constexpr operator_rules<Op> standard_rules_of() {
  operator_rules<Op> rules{.check = check_standard<Op>};
  if constexpr (!has_no_layers<Op>) rules.run = standard_lowering<Op>::run;
  return rules;
}
template <class... Ops>
constexpr rules make_standard_rules(type_list<Ops...>) {
  return {standard_rules_of<Ops>()...};
}

}  // namespace detail

inline constexpr rules standard_rules = detail::make_standard_rules(quantised::operators{});

template <hw::hardware Hw>
inline constexpr rules rules_of = detail::with_own_rules<Hw>(standard_rules);

// A configuration as a value while compiling.
template <hw::hardware Hw>
inline constexpr target target_of{Hw::spec, hw::name<Hw>(), rules_of<Hw>};

// The work of lowering<Op, Hw>, unless it is specialised.
template <hw::hardware Hw, class Op>
constexpr void run_standard(assembly& to, const site<Op>& s) {
  standard_lowering<Op>::run(target_of<Hw>, to, s);
}

}  // namespace nvdlac::lower
