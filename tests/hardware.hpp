// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compiler and the simulator of the published configurations, compiled once for all tests: they
// are those of the command line.
#include <string>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/trace.hpp>

#include "find_target.hpp"

template <nvdlac::hw::hardware Hw>
const nvdlac::cli::target& hardware() {
  static const auto& found =
      nvdlac::cli::find_target(nvdlac::cli::targets(), std::string(nvdlac::type_name<Hw>()));
  return found;
}
