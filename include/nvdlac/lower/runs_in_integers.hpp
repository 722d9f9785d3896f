// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compile errors of a network of NVDLA's integers that is a template argument: its names are
// constants, so that they can be parts of types.
#include <cstddef>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac {

// The words of the compile error beside `unsupported` and the like.
template <class Operator>
struct not_in_integers {};
template <class Operator>
struct only_sizes_are_known {};

namespace lower::detail {

// The first layer for which `bad(operator)`, or the number of layers.
template <class Network>
constexpr std::size_t first_layer(const Network& network, auto bad) {
  std::size_t first = Network::size();
  network.for_each([&](std::size_t n, const auto& node) {
    if (first == Network::size() && bad(node.op)) first = n;
  });
  return first;
}

template <class Op>
constexpr bool constants_are_known(const Op& op) {
  bool known = true;
  visit_fields(op, [&](const auto&, const auto& member) {
    if constexpr (requires { member.known(); }) known = known && member.known();
  });
  return known;
}

}  // namespace lower::detail

// Whether every layer of Net is one of integers that Hw runs; if not, a compile error.
template <hw::hardware Hw, const auto& Net>
constexpr bool runs_or_refused() {
  namespace of = lower::detail;
  constexpr auto real = of::first_layer(Net, []<class Op>(const Op&) {
    return !contains<Op, quantised::operators>;
  });
  if constexpr (real < Net.size())
    return !refused<layer_called<of::name_of<Net, real>()>,
                    not_in_integers<of::operator_of<Net, real>>>();
  else return runs_on<Hw, Net>();
}

// Whether the values of all constants are known; if not, a compile error.
template <const auto& Net>
constexpr bool known_or_refused() {
  namespace of = lower::detail;
  constexpr auto n =
      of::first_layer(Net, [](const auto& op) { return !of::constants_are_known(op); });
  if constexpr (n < Net.size())
    return !refused<layer_called<of::name_of<Net, n>()>,
                    only_sizes_are_known<of::operator_of<Net, n>>>();
  else return true;
}

}  // namespace nvdlac
