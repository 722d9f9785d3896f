// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps up to the integers for several configurations at once, which run time knows.
#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/any_hardware.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/join_gates.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac {

// The configurations that a network is prepared for.
template <class Graph>
using hardware_list = std::span<const basic_any_hardware<Graph>* const>;

// The memory of each configuration for which forms of the network are compared; without it that of
// the options, or of the specification.
template <class Graph>
using memory_of_each = std::function<cost::memory(const basic_any_hardware<Graph>&)>;

namespace detail {

// The graph as a basic_any_hardware<Graph> takes it.
template <class Graph, class Operators>
decltype(auto) seen_as(net::basic_graph<Operators>& g) {
  if constexpr (std::is_same_v<Graph, net::basic_graph<Operators>>) return (g);
  else return Graph{g};
}

template <class Graph>
cost::memory memory_on(const basic_any_hardware<Graph>& on, const compile_options& options,
                       const memory_of_each<Graph>& memory) {
  if (memory) return memory(on);
  return options.memory.value_or(cost::memory_of(on.spec(), options.cvsram));
}

}  // namespace detail

// The options by which a configuration compares forms of a network.
template <class Graph>
compile_options comparing_on(const basic_any_hardware<Graph>& on, compile_options options,
                             const memory_of_each<Graph>& memory) {
  if (memory) {
    options.memory = memory(on);
    options.cvsram = options.memory->cvsram;
  }
  return options;
}

// Divides a graph between all configurations and the host, which takes at least the operators that
// are `refused`. Throws nvdlac::error for what neither can run. The observer sees the graph with
// its gates joined, unless some are refused: then it was seen before.
template <class Graph, class Operators, class Observer = pass::silent>
void divide_on(hardware_list<Graph> all, net::basic_graph<Operators>& g,
               const compile_options& options, std::vector<problem> refused,
               Observer&& observer = {}) {
  std::vector<const hw::spec*> configurations;
  for (const auto* on : all) configurations.push_back(&on->spec());
  if (options.approximate && !std::ranges::all_of(configurations, &hw::spec::sdp_lut))
    pass::approximate::run(g);
  detail::join_gates(g, options, configurations);
  if (refused.empty() && !options.without.contains(std::string(pass::join_gates::name)))
    observer.template after<pass::join_gates>(g);
  auto&& seen = detail::seen_as<Graph>(g);
  for (const auto* on : all)
    for (auto& p : on->check(seen, options.precision, options.limits.layers))
      refused.push_back(std::move(p));
  detail::throw_if_any(host::partition(g, options.host, refused));
  for (const auto* on : all) on->keep_scales(seen, options.precision);
  if (all.empty() || options.without.contains(std::string(pass::fuse_sum::name))) return;
  pass::fuse_sum::run(g, [&](auto convolution, auto sum) {
    return std::ranges::all_of(all, [&](const auto* on) {
      return on->adds_behind(seen, convolution, sum, options.precision);
    });
  });
}

// Prepares a network for all configurations: what one of them cannot run is on the host, or
// refused, and a form of the network is taken where all are predicted to be faster by it. Throws
// nvdlac::error.
template <class Graph, class Passes = pass::standard, class Operators,
          class Observer = pass::silent>
auto prepare_on(hardware_list<Graph> all, const net::basic_graph<Operators>& network,
                const scale_source& source, const compile_options& options,
                const memory_of_each<Graph>& memory = {}, Observer&& observer = {}) {
  winograd_choice winograd;
  if (!all.empty())
    winograd = {[&](const auto& direct, const auto* pool, auto in, hw::precision p) {
                  return std::ranges::all_of(all, [&](const auto* on) {
                    return on->is_faster_in_winograd(direct, pool, in, p,
                                                     detail::memory_on(*on, options, memory));
                  });
                },
                [&](const auto& with, const auto& without) {
                  return std::ranges::all_of(all, [&](const auto* on) {
                    return on->is_faster(with, without, comparing_on(*on, options, memory));
                  });
                }};
  const auto siblings = [&](const quantised::graph& g) {
    quant::shifts_of_layers shared;
    for (const auto* on : all)
      for (const auto& [layer, shifts] :
           on->shifts_of_siblings(g, comparing_on(*on, options, memory))) {
        auto& s = shared[layer];
        s.bias = std::max(s.bias, shifts.bias);
        s.sums = std::min(s.sums, shifts.sums);
      }
    return shared;
  };
  return prepare<Passes>(
      network, source, options, std::forward<Observer>(observer),
      [&](net::basic_graph<Operators>& g, std::vector<problem> refused) {
        divide_on(all, g, options, std::move(refused), observer);
      },
      winograd, siblings,
      [&](const quantised::graph& g) {
        const std::vector<quantised::image_order> none(g.size());
        if (all.empty()) return none;
        auto orders = lower::image_orders(all.front()->spec(), g);
        const bool alike = std::ranges::all_of(all.subspan(1), [&](const auto* on) {
          return lower::image_orders(on->spec(), g) == orders;
        });
        return alike ? orders : none;
      });
}

}  // namespace nvdlac
