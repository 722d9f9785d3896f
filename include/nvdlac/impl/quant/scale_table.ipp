// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::optional<double> scale_table::find(const std::string& layer) const {
  for (const auto& e : entries)
    if (e.layer == layer) return e.range.step();
  return std::nullopt;
}

NVDLAC_IMPL problem not_listed(const scale_table& table, const std::string& layer) {
  return {.file = table.file, .layer = layer,
          .reason = "no scale of its values is known",
          .remedy = "calibrate with this network; to keep what the table has, --calibration with "
                    "--scales or --keep-scales, in C++ compile_options::known"};
}

NVDLAC_IMPL void check(const scale_table& table, diagnostics& found) {
  std::set<std::string> known;
  for (const auto& [layer, range, means, low, high, reach, drift, measured] : table.entries) {
    if (!representable_scale(range.step()))
      found.add({.file = table.file, .layer = layer,
                 .reason = range.in_steps() ? text("scale ", range.step(), " is not usable")
                                            : text("range ", range.largest(), " is not usable"),
                 .remedy = text("a ", range.in_steps() ? "scale" : "range",
                                " is a positive number")});
    for (const double m : means)
      if (!std::isfinite(m))
        found.add({.file = table.file, .layer = layer, .reason = text("a mean is ", m)});
    for (const double d : drift)
      if (!std::isfinite(d))
        found.add({.file = table.file, .layer = layer, .reason = text("a drift is ", d)});
    for (const double r : reach)
      if (!(r > 0 && std::isfinite(r)))
        found.add({.file = table.file, .layer = layer,
                   .reason = text("the reach of a channel is ", r)});
    if (low && !(*low < 0 && std::isfinite(*low)))
      found.add({.file = table.file, .layer = layer,
                 .reason = text("its lowest value ", *low, " is not below 0")});
    if (high && !(*high > 0 && std::isfinite(*high)))
      found.add({.file = table.file, .layer = layer,
                 .reason = text("its highest value ", *high, " is not above 0")});
    if (!known.insert(layer).second)
      found.add({.file = table.file, .layer = layer,
                 .reason = "is listed twice in the scale table"});
  }
}

}  // namespace nvdlac::quant
