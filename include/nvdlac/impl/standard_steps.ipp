// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/float_rules.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/prepared.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>
#include <nvdlac/standard_steps.hpp>
#include <nvdlac/target_steps.hpp>

namespace nvdlac::detail {

NVDLAC_IMPL prepared_network prepare_standard(const lower::target& hw,
                                              const lower::float_rules<net::graph>& rules,
                                              const net::graph& network,
                                              const scale_source& source,
                                              const compile_options& options) {
  return prepare_for_target<pass::standard>(hw, rules, network, source, options);
}

NVDLAC_IMPL bool needs_scales(const net::graph& network, const net::layer_precisions& p) {
  return quant::needs_scales(network, p);
}

NVDLAC_IMPL plan::program_data build_standard(const lower::target& hw,
                                              const quantised::graph& integers,
                                              const compile_options& options) {
  return build_for_target(hw, choose::schedule_by<schedule::standard>, integers, options);
}

}  // namespace nvdlac::detail
