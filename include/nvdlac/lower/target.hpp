// SPDX-License-Identifier: Apache-2.0
#pragma once
// A configuration as a value, so that what computes with its numbers is compiled once for all.
#include <span>
#include <string_view>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

struct target;

// The rules of an integer operator: its layers, and why it does not run.
template <class Op>
struct operator_rules {
  void (*run)(const target&, assembly&, const site<Op>&) = nullptr;  // none: it has no layers
  reason (*check)(const hw::spec&, const Op&, std::span<const net::shape>,
                  hw::precision) = nullptr;
};

// The rules of all of them.
template <class Operators>
struct rule_table;
template <class... Ops>
struct rule_table<type_list<Ops...>> : operator_rules<Ops>... {
  template <class Op>
  constexpr const operator_rules<Op>& of() const {
    return *this;
  }
};
using rules = rule_table<quantised::operators>;

// The numbers of a configuration, with its name in messages and its rules: compiled_target<Hw>() at
// run time, target_of<Hw> (rules.hpp) while compiling.
struct target : hw::spec {
  std::string_view name;
  const lower::rules* rules;

  constexpr target(const hw::spec& numbers, std::string_view called, const lower::rules& by)
      : hw::spec(numbers), name(called), rules(&by) {}
};

// Why the hardware does not compute an integer operator in this precision.
template <class Op>
constexpr reason check_support(const target& hw, const Op& op, std::span<const net::shape> in,
                               hw::precision p) {
  return hw.rules->of<Op>().check(hw, op, in, p);
}

// Adds the layers of an operator.
template <class Op>
constexpr void lower_operator(const target& hw, assembly& to, const site<Op>& s) {
  hw.rules->of<Op>().run(hw, to, s);
}

// Whether an operator is a tensor in memory that nothing computes: it has no layers.
template <class Op>
inline constexpr bool has_no_layers =
    contains<Op, type_list<quantised::input, quantised::constant, quantised::reshape>>;

namespace detail {

template <class Op, class Hw>
inline constexpr bool has_own_support = !requires { support<Op, Hw>::is_standard; };
template <class Op, class Hw>
inline constexpr bool has_own_lowering =
    !has_no_layers<Op> && !requires { lowering<Op, Hw>::is_standard; };

template <class Hw, class... Ops>
constexpr bool has_own_supports(type_list<Ops...>) {
  return (has_own_support<Ops, Hw> || ...);
}
template <class Hw, class... Ops>
constexpr bool has_own_rules(type_list<Ops...>) {
  return ((has_own_support<Ops, Hw> || has_own_lowering<Ops, Hw>) || ...);
}

// Rules that Hw has of its own know its numbers.
template <class Hw, class Op>
constexpr void take_own(operator_rules<Op>& rules) {
  if constexpr (has_own_support<Op, Hw>)
    rules.check = [](const hw::spec&, const Op& op, std::span<const net::shape> in,
                     hw::precision p) { return check_support<Hw>(op, in, p); };
  if constexpr (has_own_lowering<Op, Hw>)
    rules.run = [](const target&, assembly& to, const site<Op>& s) {
      lowering<Op, Hw>::run(to, s);
    };
}
template <class Hw, class... Ops>
constexpr rule_table<type_list<Ops...>> with_own_rules(rule_table<type_list<Ops...>> all) {
  (take_own<Hw>(static_cast<operator_rules<Ops>&>(all)), ...);
  return all;
}

}  // namespace detail

}  // namespace nvdlac::lower
