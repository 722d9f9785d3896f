// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/compile_steps.hpp>
#include <nvdlac/pass/pipeline.hpp>

namespace nvdlac {

NVDLAC_IMPL std::set<std::string> without_steps(std::set<std::string> names) {
  for (const auto& step : steps_for_hardware) names.erase(std::string(step.name));
  return names;
}

}  // namespace nvdlac
