// SPDX-License-Identifier: Apache-2.0
#pragma once
// From integers to the program of one configuration, and the whole way in one step.
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/lower/keep_scales.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac {

namespace detail {

// The program, which code of its own has checked.
plan::program_data build(const lower::target& hw, choose::scheduler policy,
                         const quantised::graph& integers, const compile_options& options);

}  // namespace detail

// The steps for one NVDLA: layers, memory, dependencies; checked by code of their own.
template <hw::hardware Hw, schedule::policy Policy = schedule::standard>
plan::program<Hw> build(const quantised::graph& integers, const compile_options& options = {}) {
  return {detail::build(lower::compiled_target<Hw>(), choose::schedule_by<Policy>, integers, options)};
}

// The steps up to the integers for one NVDLA: what it cannot run is on the host, or refused. The
// passes are a pass::pipeline.
template <hw::hardware Hw, class Passes = pass::standard, class Operators>
auto prepare_for(const net::basic_graph<Operators>& network, const scale_source& source,
                 const compile_options& options) {
  static_assert(pass::runs_over<Passes, net::basic_graph<Operators>>,
                "nvdlac: the passes of compile<Hw, Passes> are a pass::pipeline, or a struct with "
                "its `run(graph, without, observer)`");
  const auto divide = [&](auto& g, std::vector<problem> refused) {
    if (options.approximate && !Hw::spec.sdp_lut) pass::approximate::run(g);
    if (Hw::spec.sdp_lut) detail::join_gates(g, options);
    for (auto& p : lower::check<Hw>(g, options.precision, options.limits.layers))
      refused.push_back(std::move(p));
    detail::throw_if_any(host::partition(g, options.host, refused));
    lower::keep_scales<Hw>(g);
    if (!options.without.contains(std::string(pass::fuse_sum::name)))
      pass::fuse_sum::run(g, [&](auto convolution, auto sum) {
        return lower::adds_behind<Hw>(g, convolution, sum, options.precision);
      });
  };
  const winograd_choice winograd{
      [m = choose::memory_for(Hw::spec, options)](const auto& direct, const auto* pool,
                                                  auto in, hw::precision p) {
        return lower::is_faster_in_winograd(lower::compiled_target<Hw>(), direct, pool, in, p, m);
      },
      [&](const auto& with, const auto& without) {
        return choose::is_faster(lower::compiled_target<Hw>(), with, without, options);
      }};
  const auto siblings = [&](const quantised::graph& g) {
    return choose::shared_shifts(lower::compiled_target<Hw>(), g, options);
  };
  const auto images = [](const quantised::graph& g) { return lower::image_orders(Hw::spec, g); };
  if constexpr (std::is_same_v<Passes, pass::standard> &&
                std::is_same_v<net::basic_graph<Operators>, net::graph>)
    return prepare_standard(network, source, options, divide, winograd, siblings, images);
  else
    return prepare<Passes>(network, source, options, pass::silent{}, divide, winograd, siblings,
                           images);
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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/compile.ipp>
#endif
