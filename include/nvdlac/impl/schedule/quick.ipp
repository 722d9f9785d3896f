// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/arrange.hpp>
#include <nvdlac/schedule/estimate.hpp>
#include <nvdlac/schedule/quick.hpp>

namespace nvdlac::schedule {

NVDLAC_IMPL void quick::run(const hw::spec& hw, plan::lowered& l, const cost::memory& memory) {
  const detail::arranger by_number(hw, l, memory);
  const auto plain = by_number.plain();
  const auto before = by_number.estimate(by_number.arranged(plain), false).price;
  auto tiled = by_number.early(by_number.tiled(plain, {}));
  tiled.kept = true;
  auto layers = by_number.arranged(tiled);
  for (const bool beside : {true, false}) {
    const auto now = by_number.estimate(layers, beside).price;
    if (!now.fits(before)) continue;
    if (now.cycles < before.cycles) {
      l.layers = std::move(layers.layers);
      l.overlap = beside ? 1 : 0;
    }
    return;
  }
}

}  // namespace nvdlac::schedule
