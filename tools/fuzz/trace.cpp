// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/sim/rule.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    std::istringstream in{std::string(bytes)};
    (void)runtime::replay<nv_small>(
        runtime::parse_trace(in, "fuzzed", "/nowhere", fuzz::limits.trace),
        {.settings = sim::settings::limited_by(fuzz::limits)});
  });
}
