// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators and networks that a configuration runs: asked at run time, and as assertions of
// the compiler.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/support_of_moves.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/approximation.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/reshaping.hpp>

namespace nvdlac::lower {

// Asks `support`, for kinds of operators, for single ones and for whole networks.

// Why this operator, with its attributes and the shapes of its inputs, cannot run on Hw; `none` if
// it can. An operator of the user's own that has an expansion is judged by that. One that moves
// elements takes no more than `most_layers` (budget::layers).
template <hw::hardware Hw, net::operation Op>
constexpr reason reason_of(const Op& op, std::span<const net::shape> in,
                           hw::precision p = hw::precision::int8,
                           std::uint64_t most_layers = budget{}.layers) {
  if constexpr (net::is_expandable<Op>)
    return reason_of<Hw>(net::expansion<Op>::run(op, in), in, p, most_layers);
  else if constexpr (requires { support<Op, Hw>::cost(op, in, p, most_layers).why; })
    return support<Op, Hw>::cost(op, in, p, most_layers).why;
  else return check_support<Hw>(op, in, p);
}

// Why no operator of this kind can run on Hw: the least demanding one, with the attributes that Op
// has by default on inputs of a single element, cannot.
template <net::operation Op, hw::hardware Hw>
constexpr reason reason_of(hw::precision p = hw::precision::int8) {
  const std::array<net::shape, Op::inputs.least> in{};
  return reason_of<Hw>(Op{}, in, p);
}

// The reason of each node of the network, `none` for those that run.
template <hw::hardware Hw, class... Nodes>
constexpr std::array<reason, sizeof...(Nodes)> reasons_of(
    const net::network<Nodes...>& network, hw::precision p = hw::precision::int8) {
  std::array<reason, sizeof...(Nodes)> result{};
  network.for_each([&](std::size_t n, const auto& node) {
    std::array<net::shape, std::remove_cvref_t<decltype(node)>::inputs> in{};
    network.inputs_of(n, in);
    // Operators of NVDLA's numbers know of what they are.
    const auto reads = network.inputs(n);
    const auto own = network.precision(reads.empty() ? n : reads[0]);
    result[n] = check_precision(Hw::spec, own);
    if (result[n] == reason::none) result[n] = check_precision(Hw::spec, network.precision(n));
    if (result[n] == reason::none)
      result[n] = reason_of<Hw>(node.op, in, own == hw::precision::int8 ? p : own);
    if (result[n] == reason::none)
      result[n] = support_in_network<std::remove_cvref_t<decltype(node.op)>>::check(
          Hw::spec, network, n, node.op, own);
  });
  return result;
}

// The reason of the first node that cannot run on Hw.
template <hw::hardware Hw, class... Nodes>
constexpr reason reason_of(const net::network<Nodes...>& network,
                           hw::precision p = hw::precision::int8) {
  if (const reason r = check_precision(Hw::spec, p); r != reason::none) return r;
  for (const reason r : reasons_of<Hw>(network, p))
    if (r != reason::none) return r;
  return reason::none;
}

// The rules that a configuration's name and numbers are judged by: those of Hw ..
template <hw::hardware Hw>
struct own_judge {
  static constexpr const hw::spec& spec = Hw::spec;
  static constexpr std::string_view name = hw::name<Hw>();

  template <class Op>
  constexpr reason reason_of(const Op& op, std::span<const net::shape> in, hw::precision p,
                             std::uint64_t most_layers) const {
    return lower::reason_of<Hw>(op, in, p, most_layers);
  }
};
// .. or those that all share.
struct standard_judge {
  const hw::spec& spec;
  std::string_view name;

  template <class Op>
  constexpr reason reason_of(const Op& op, std::span<const net::shape> in, hw::precision p,
                             std::uint64_t most_layers) const {
    static_assert(!net::is_expandable<Op>, "nvdlac: an expansion is judged by own_judge");
    if constexpr (requires { standard_support<Op>::cost(spec, op, in, p, most_layers); })
      return standard_support<Op>::cost(spec, op, in, p, most_layers).why;
    else return check_standard(spec, op, in, p);
  }
};

// The remedy besides giving the operator to the host.
template <class Op>
std::string remedy_of(const hw::spec& hw, const Op& op, std::span<const net::shape> in,
                      hw::precision p, reason why, std::uint64_t most_layers) {
  if (why == reason::too_many_layers)
    return text("if that is meant, raise it: --limit ", limit_of(&budget::layers).name, '=',
                excess_of(hw, op, in, p, why, most_layers));
  if constexpr (std::is_same_v<Op, net::activation>)
    if (const auto lines = net::approximation_of(op); why == reason::no_lookup_table && lines)
      return text("compute it in straight lines, off by at most ", lines->bound,
                  ": --approximate");
  return {};
}

// Every layer of a network that the configuration cannot run, and why, those that move elements in
// more than `most_layers` among them. The graph has its shapes.
template <class Judge, class Graph>
std::vector<problem> check_by(const Judge& hw, const Graph& g, const net::layer_precisions& p,
                              std::uint64_t most_layers) {
  if (const auto why = check_precision(hw.spec, p.all); why != reason::none)
    return {{.reason = text(hw.name, ": ", lack_of(p.all))}};
  std::vector<problem> found;
  for (const auto n : g.order()) {
    std::vector<net::shape> in;
    for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
    nvdlac::visit(
        [&]<class Op>(const Op& op) {
          const auto own = p(g[n].name);
          const auto judge = [&](const auto& what) {
            auto why = check_precision(hw.spec, own);
            if (why == reason::none) why = hw.reason_of(what, in, own, most_layers);
            if (why != reason::none)
              found.push_back({.layer = g[n].name,
                               .reason = text(type_name<Op>(), " does not run on ", hw.name, ": ",
                                              reason_in_words(hw.spec, what, in, own, why,
                                                              most_layers)),
                               .remedy = remedy_of(hw.spec, what, in, own, why, most_layers)});
          };
          if constexpr (net::tells_shape<Op>) try {
            if (const auto moved = net::move_of_reshape(g, n)) return judge(*moved);
          } catch (const error& e) {  // no boxes can be found
            for (problem why : e.problems()) {
              why.layer = g[n].name;
              why.reason = text(type_name<Op>(), " does not run on ", hw.name, ": ", why.reason);
              found.push_back(std::move(why));
            }
            return;
          }
          judge(op);
        },
        g[n].op);
  }
  return found;
}
template <hw::hardware Hw, class Graph>
std::vector<problem> check(const Graph& g, const net::layer_precisions& p = {},
                           std::uint64_t most_layers = budget{}.layers) {
  return check_by(own_judge<Hw>{}, g, p, most_layers);
}

// Whether the configuration can add the other side of the sum to what the convolution gives. A
// convolution that has a precision of its own by name is left alone.
template <class Judge, class Graph>
bool adds_behind_by(const Judge& hw, const Graph& g, typename Graph::id convolution,
                    typename Graph::id sum, const net::layer_precisions& p) {
  const auto own = p(g[sum].name);
  if (p.of.contains(g[convolution].name) || own != p.all) return false;
  const std::array in{g[g.inputs(convolution)[0]].shape, g[sum].shape};
  return hw.reason_of(std::get<net::convolution>(g[convolution].op), in, own, budget{}.layers) ==
         reason::none;
}
template <hw::hardware Hw, class Graph>
bool adds_behind(const Graph& g, typename Graph::id convolution, typename Graph::id sum,
                 const net::layer_precisions& p) {
  return adds_behind_by(own_judge<Hw>{}, g, convolution, sum, p);
}

}  // namespace nvdlac::lower

namespace nvdlac {

// The words of the compile error: which operator, on which hardware, and why not.
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
template <class Operator, class Hardware, std::size_t... Is>
constexpr bool accept(reason why, const char* layer, std::index_sequence<Is...>) {
  return why == reason::none ||
         ((static_cast<std::size_t>(why) == Is + 1 &&
           refuse<unsupported<Operator, Hardware, static_cast<reason>(Is + 1)>>(layer)) ||
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
  static_assert(hw::validated<Hw>);
  namespace ask = lower::detail;
  constexpr auto reasons = lower::reasons_of<Hw>(Net, P);
  constexpr auto n = static_cast<std::size_t>(
      std::ranges::find_if(reasons, [](auto why) { return why != lower::reason::none; }) -
      reasons.begin());
  constexpr auto without = lower::check_precision(Hw::spec, P);
  if constexpr (without != lower::reason::none)
    return !refused<layer_called<"the network">,
                    unsupported<ask::data_type<P>, Hw, without>>();
  else if constexpr (n < Net.size())
    return !refused<layer_called<ask::name_of<Net, n>()>,
                    unsupported<ask::operator_of<Net, n>, Hw, reasons[n]>>();
  else return true;
}

// Whether Hw runs any constant network: static_assert(nvdlac::runs_on<nv_small>(net)). Its
// names are not parts of types, so the compile error shows the layer in a note. To ask without
// failing:
// lower::reason_of<nv_small>(net) == lower::reason::none.
template <hw::hardware Hw, hw::precision P = hw::precision::int8, class... Nodes>
consteval bool runs_on(const net::network<Nodes...>& network) {
  namespace ask = lower::detail;
  constexpr ask::every_reason known{};
  const auto layers = shown_names(network.names());
  const auto reasons = lower::reasons_of<Hw>(network, P);
  const lower::reason* why = reasons.data();  // compilers print these names
  const char* const* layer = layers.data();
  return hw::validated<Hw> &&
         ask::accept<ask::data_type<P>, Hw>(lower::check_precision(Hw::spec, P), "the network",
                                            known) &&
         (ask::accept<typename Nodes::operator_type, Hw>(*why++, *layer++, known) && ...);
}

// Whether Hw runs a kind of operator: static_assert(nvdlac::runs_on<net::pool, nv_small>()).
template <net::operation Op, hw::hardware Hw>
consteval bool runs_on() {
  constexpr lower::detail::every_reason known{};
  return hw::validated<Hw> &&
         lower::detail::accept<Op, Hw>(lower::reason_of<Op, Hw>(), "every such layer", known);
}

}  // namespace nvdlac
