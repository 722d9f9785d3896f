// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>

namespace nvdlac::quant {

// The scale of each layer's output tensor: real = scale * integer. In the order of the network.
// A calibration adds the mean of each channel of the tensors that layers with weights read.
struct scale_table {
  struct entry {
    std::string layer{};
    double scale = 1;
    std::vector<double> means{};  // real; empty: unknown

    bool operator==(const entry&) const = default;
  };

  std::string method{};  // of the calibration; for the reader only
  std::vector<entry> entries{};
  std::string file{};  // that it was read from, for complaints

  bool operator==(const scale_table&) const = default;

  std::optional<double> find(const std::string& layer) const {
    for (const auto& e : entries)
      if (e.layer == layer) return e.scale;
    return std::nullopt;
  }
};

constexpr bool representable_scale(double s) { return s > 0 && s <= 1e300 && s >= 1e-300; }

// Collects what cannot be a scale or a mean, and layers that are listed twice.
inline void check(const scale_table& table, diagnostics& found) {
  std::set<std::string> known;
  for (const auto& [layer, scale, means] : table.entries) {
    if (!representable_scale(scale))
      found.add({.file = table.file, .layer = layer,
                 .reason = text("scale ", scale, " is not usable"),
                 .remedy = "a scale is a positive number"});
    for (const double m : means)
      if (!std::isfinite(m))
        found.add({.file = table.file, .layer = layer, .reason = text("a mean is ", m)});
    if (!known.insert(layer).second)
      found.add({.file = table.file, .layer = layer,
                 .reason = "is listed twice in the scale table"});
  }
}

}  // namespace nvdlac::quant
