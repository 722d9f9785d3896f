// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way to the program of one configuration with the standard passes and policy, compiled once
// for all; compile.hpp has it with those of the user's own.
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/float_rules.hpp>
#include <nvdlac/lower/own_float_rules.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/prepared.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac {
namespace detail {

// The bodies of standard_steps.
prepared_network prepare_standard(const lower::target& hw,
                                  const lower::float_rules<net::graph>& rules,
                                  const net::graph& network, const scale_source& source,
                                  const compile_options& options);

bool needs_scales(const net::graph& network, const net::layer_precisions& p);

plan::program_data build_standard(const lower::target& hw, const quantised::graph& integers,
                                  const compile_options& options);

}  // namespace detail

// The steps of Hw with the standard passes and policy: what quant::needs_scales, and `prepare_for`
// and `build` of compile.hpp do.
template <hw::hardware Hw>
struct standard_steps {
  static bool needs_scales(const net::graph& network, const net::layer_precisions& p) {
    return detail::needs_scales(network, p);
  }
  static prepared_network prepare(const net::graph& network, const scale_source& source,
                                  const compile_options& options) {
    return detail::prepare_standard(lower::compiled_target<Hw>(),
                                    lower::float_rules_of<Hw, net::graph>(), network, source,
                                    options);
  }
  static plan::program<Hw> build(const quantised::graph& integers, const compile_options& options) {
    return {detail::build_standard(lower::compiled_target<Hw>(), integers, options)};
  }
};

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/standard_steps.ipp>
#endif
