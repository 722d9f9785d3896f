// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::schedule {

// Schedules programs of which thousands are compared: convolutions in two tiles where the next one
// waits for less then, all in the order in which the engines take them early; or all as it is,
// where that is faster. The standard policy compares it with some fifteen others.
struct quick {
  static void run(const hw::spec& hw, plan::lowered& l, const cost::memory& memory);
};

}  // namespace nvdlac::schedule

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/quick.ipp>
#endif
