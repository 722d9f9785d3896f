// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way from a trained network to the program of a configuration that is a value.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/float_rules.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::detail {

// The steps up to the integers, by the configuration's rules for networks in float: what it cannot
// run is on the host, or refused. The passes are a pass::pipeline.
template <class Passes, class Graph>
auto prepare_for_target(const lower::target& hw, const lower::float_rules<Graph>& rules,
                        const Graph& network, const scale_source& source,
                        const compile_options& options) {
  const auto divide = [&](Graph& g, std::vector<problem> refused) {
    if (options.approximate && !hw.sdp_lut) pass::approximate::run(g);
    join_gates(g, options, std::array<const hw::spec*, 1>{&hw});
    for (auto& p : rules.check(hw, g, options.precision, options.limits.layers))
      refused.push_back(std::move(p));
    throw_if_any(host::partition(g, options.host, refused));
    rules.keep_scales(hw, g, options.precision);
    if (!options.without.contains(std::string(pass::fuse_sum::name)))
      pass::fuse_sum::run(g, [&](auto convolution, auto sum) {
        return rules.adds_behind(hw, g, convolution, sum, options.precision);
      });
  };
  const winograd_choice winograd{
      [&, m = choose::memory_for(hw, options)](const auto& direct, const auto* pool, auto in,
                                               hw::precision p) {
        return lower::is_faster_in_winograd(hw, direct, pool, in, p, m);
      },
      [&](const auto& with, const auto& without) {
        return choose::is_faster(hw, with, without, options);
      }};
  const auto siblings = [&](const quantised::graph& g) {
    return choose::shared_shifts(hw, g, options);
  };
  const auto images = [&](const quantised::graph& g) { return lower::image_orders(hw, g); };
  return prepare<Passes>(network, source, options, pass::silent{}, divide, winograd, siblings,
                         images);
}

// The program of integers, which code of its own has checked.
plan::program_data build_for_target(const lower::target& hw, choose::scheduler policy,
                                    const quantised::graph& integers,
                                    const compile_options& options);

}  // namespace nvdlac::detail

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/target_steps.ipp>
#endif
