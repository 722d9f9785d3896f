// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/bdma.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void copy(const bdma_operation& o, std::vector<std::uint8_t>& buffer) {
  buffer.resize(static_cast<std::size_t>(o.line));
  for (std::uint64_t s = 0; s < o.surfaces; ++s)
    for (std::uint64_t y = 0; y < o.lines; ++y) {
      const auto at = [&](const bdma_operation::side& side) {
        return side.base + s * side.surface_stride + y * side.line_stride;
      };
      o.source.ram->read(at(o.source), buffer);
      o.destination.ram->write(at(o.destination), buffer);
    }
}

}  // namespace nvdlac::sim
