// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

// Where each element of what the user binds lies, and which element of his file it is.
inline std::vector<std::string> placement_lines(const binding& b, bytes atom) {
  std::vector<std::string> lines{b.pixels ? layer::pixel_placement_text(b.surface)
                                          : layer::placement_text(b.surface, atom)};
  // Pixels have more channels in memory than in the network.
  const auto& cube = b.pixels ? b.shape : b.surface.shape;
  for (const auto& t : b.in_file) lines.push_back(layer::placement_text(t, cube));
  return lines;
}

}  // namespace nvdlac::plan
