// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/estimate.hpp>
#include <nvdlac/schedule/quick.hpp>

namespace nvdlac::schedule {

NVDLAC_IMPL choices quick::operator()(const draft& d) const {
  const auto& by_number = d.numbers();
  const auto plain = by_number.plain();
  const auto before = by_number.estimate(by_number.arranged(plain), false).price;
  auto tiled = by_number.early(by_number.tiled(plain, {}));
  tiled.kept = true;
  const auto layers = by_number.arranged(tiled);
  tiled.kept = layers.keeps;
  for (const bool beside : {true, false}) {
    tiled.beside = beside;
    const auto now = by_number.estimate(layers, beside).price;
    if (now.fits(before)) return d.named(now.cycles < before.cycles ? tiled : plain);
  }
  return d.named(plain);
}

}  // namespace nvdlac::schedule
