// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/maker.hpp>
#include <nvdlac/compile_options.hpp>

namespace nvdlac::choose {

NVDLAC_IMPL compile_options without_search(compile_options options) {
  options.optimize = 0, options.schedule.reset(), options.scheduled = {};
  return options;
}

}  // namespace nvdlac::choose
