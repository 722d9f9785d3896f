// SPDX-License-Identifier: Apache-2.0
#pragma once
// From integers to the program of one configuration, and the whole way in one step.
#include <type_traits>

#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/own_float_rules.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>
#include <nvdlac/standard_steps.hpp>
#include <nvdlac/target_steps.hpp>

namespace nvdlac {

// The steps for one NVDLA: layers, memory, dependencies; checked by code of their own.
template <hw::hardware Hw, schedule::policy Policy = schedule::standard>
plan::program<Hw> build(const quantised::graph& integers, const compile_options& options = {}) {
  return {detail::build_for_target(lower::compiled_target<Hw>(), choose::schedule_by<Policy>,
                                   integers, options)};
}

// The steps up to the integers for one NVDLA. The passes are a pass::pipeline.
template <hw::hardware Hw, class Passes = pass::standard, class Operators>
auto prepare_for(const net::basic_graph<Operators>& network, const scale_source& source,
                 const compile_options& options) {
  using graph = net::basic_graph<Operators>;
  static_assert(pass::runs_over<Passes, graph>,
                "nvdlac: the passes of compile<Hw, Passes> are a pass::pipeline, or a struct with "
                "its `run(graph, without, observer)`");
  if constexpr (std::is_same_v<Passes, pass::standard> && std::is_same_v<graph, net::graph>)
    return standard_steps<Hw>::prepare(network, source, options);
  else
    return detail::prepare_for_target<Passes>(lower::compiled_target<Hw>(),
                                              lower::float_rules_of<Hw, graph>(), network, source,
                                              options);
}

// From a trained network to the program of one NVDLA, whose schedule a policy chooses. Throws
// nvdlac::error for what is wrong with the network or cannot run on Hw.
template <hw::hardware Hw, class Passes = pass::standard,
          schedule::policy Policy = schedule::standard, class Operators>
plan::program<Hw> compile(const net::basic_graph<Operators>& network, const scale_source& source,
                          const compile_options& options = {}) {
  return build<Hw, Policy>(prepare_for<Hw, Passes>(network, source, options).integers, options);
}

}  // namespace nvdlac
