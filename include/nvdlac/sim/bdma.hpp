// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/sim/memory.hpp>

namespace nvdlac::sim {

// One operation of BDMA: lines of `line` bytes, `lines` of them a surface, `surfaces` times.
struct bdma_operation {
  struct side {
    sim::memory* ram = nullptr;
    std::uint64_t base = 0, line_stride = 0, surface_stride = 0;  // bytes
  };
  side source{}, destination{};
  std::uint64_t line = 0, lines = 0, surfaces = 0;

  std::uint64_t bytes() const { return line * lines * surfaces; }

  // From the first to the last byte that a side touches; at most 2^57.
  std::uint64_t extent(const side& s) const {
    return (surfaces - 1) * s.surface_stride + (lines - 1) * s.line_stride + line;
  }
};

// Line after line. The lines of the source may overlap, or be one and the same.
inline void copy(const bdma_operation& o, std::vector<std::uint8_t>& buffer) {
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
