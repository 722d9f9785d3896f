// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/target_steps.hpp>

namespace nvdlac::detail {

// Throws a defect of nvdlac itself, which is no error of the user's.
NVDLAC_IMPL void throw_if_defect(const std::vector<problem>& found) {
  if (!found.empty()) throw std::logic_error(error(found).what());
}

NVDLAC_IMPL plan::program_data build_for_target(const lower::target& hw, choose::scheduler policy,
                                                const quantised::graph& integers,
                                                const compile_options& options) {
  auto program = choose::planned(hw, integers, options, {}, policy);
  for (auto& input : program.inputs) input.preprocessing = options.preprocessing;
  throw_if_defect(plan::validate(program, hw));
  throw_if_defect(plan::verify(program, hw));
  return program;
}

}  // namespace nvdlac::detail
