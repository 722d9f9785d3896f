// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/check.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac {

// What stands in the compile error: which operator, on which hardware, and why not.
template <class Operator, class Hardware, lower::reason Why>
struct unsupported {};
template <fixed_string Name>
struct layer_called {};

template <class Layer, class Why>
constexpr bool refused() {
  static_assert(never<Layer, Why>, "nvdlac: this layer cannot be compiled");
  return true;
}

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

template <const auto& Net, std::size_t N>
constexpr auto name_of() {
  constexpr std::size_t size = Net.label_of(N).size();
  char name[size + 1]{};
  std::ranges::copy(Net.label_of(N).view(), name);
  return fixed_string(name);
}
template <const auto& Net, std::size_t N>
using operator_of = std::remove_cvref_t<decltype(Net.template node<N>().op)>;

}  // namespace lower::detail

// static_assert(nvdlac::runs_on<nv_small, net>()) of a network of static storage: true, or a failed
// assertion of layer_called<"norm"> and unsupported<lrn, nv_small, reason::..>.
template <hw::hardware Hw, const auto& Net, hw::precision P = hw::precision::int8>
constexpr bool runs_on() {
  namespace ask = lower::detail;
  constexpr auto reasons = lower::reasons_of<Hw>(Net, P);
  constexpr auto n = static_cast<std::size_t>(
      std::ranges::find_if(reasons, [](auto why) { return why != lower::reason::none; }) -
      reasons.begin());
  constexpr auto without = lower::check_precision<Hw>(P);
  if constexpr (without != lower::reason::none)
    return !refused<layer_called<"the network">,
                    unsupported<ask::data_type<P>, Hw, without>>();
  else if constexpr (n < Net.size())
    return !refused<layer_called<ask::name_of<Net, n>()>,
                    unsupported<ask::operator_of<Net, n>, Hw, reasons[n]>>();
  else return true;
}

// The same of any constant network: static_assert(nvdlac::runs_on<nv_small>(net)). Its names are
// not parts of types, so the compile error shows the layer in a note. To ask without failing:
// lower::reason_of<nv_small>(net) == lower::reason::none.
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

// Compile errors of a network that is a template argument: its names are constants, so that they
// can be parts of types.

// What stands in the compile error beside `unsupported` and the like.
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
