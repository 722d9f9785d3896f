// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compile errors of a network that is a template argument: its names are constants, so that they
// can be parts of types.
#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <nvdlac/base/failed.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/fixed_string.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/reason_of.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/integer/operators.hpp>

namespace nvdlac {

// What stands in the compile error beside `unsupported` and the like.
template <fixed_string Name>
struct layer_called {};
template <class Operator>
struct not_in_integers {};
template <class Operator>
struct only_sizes_are_known {};

template <class Layer, class Why>
constexpr bool refused() {
  static_assert(never<Layer, Why>, "nvdlac: this layer of the network cannot be in the program");
  return true;
}

namespace lower::detail {

template <const auto& Net, std::size_t N>
constexpr auto name_of() {
  constexpr std::size_t size = Net.label_of(N).size();
  char name[size + 1]{};
  std::ranges::copy(Net.label_of(N).view(), name);
  return fixed_string(name);
}

template <const auto& Net, std::size_t N>
using operator_of = std::remove_cvref_t<decltype(Net.template node<N>().op)>;

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
    return !contains<Op, net::integer::operators>;
  });
  constexpr auto reasons = lower::reasons_of<Hw>(Net);
  constexpr auto n = static_cast<std::size_t>(
      std::ranges::find_if(reasons, [](auto why) { return why != lower::reason::none; }) -
      reasons.begin());
  if constexpr (real < Net.size())
    return !refused<layer_called<of::name_of<Net, real>()>,
                    not_in_integers<of::operator_of<Net, real>>>();
  else if constexpr (n < Net.size())
    return !refused<layer_called<of::name_of<Net, n>()>,
                    unsupported<of::operator_of<Net, n>, Hw, reasons[n]>>();
  else return true;
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
