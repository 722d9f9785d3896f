// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/sim/memory.hpp>

namespace nvdlac::sim {

// A feature cube in memory: surfaces of lines of atoms. `unit` is the bytes of one pixel of one
// surface: the memory atom, or more for the operands of SDP.
struct cube {
  sim::memory* ram = nullptr;
  std::uint64_t base = 0, line_stride = 0, surface_stride = 0;  // bytes
  std::uint64_t unit = 0, width = 0, height = 0, surfaces = 0;

  std::uint64_t line_bytes() const { return width * unit; }
  std::uint64_t surface_bytes() const { return line_bytes() * height; }

  // All addresses exist; addresses and strides are multiples of `alignment`.
  void check(std::string_view where, std::uint64_t alignment) const {
    require(base % alignment == 0, where, "the address 0x", std::hex, base,
            " is not a multiple of the memory atom");
    require(height == 1 || line_stride % alignment == 0, where, "the line stride ", line_stride,
            " is not a multiple of the memory atom");
    require(surfaces == 1 || surface_stride % alignment == 0, where, "the surface stride ",
            surface_stride, " is not a multiple of the memory atom");
    const auto size =
        (surfaces - 1) * surface_stride + (height - 1) * line_stride + line_bytes();
    require(ram->contains(base, size), where, "the cube of ", size, " bytes at 0x", std::hex, base,
            " is beyond the address width of the configuration");
  }
  void check_no_overlap(std::string_view where) const {
    require(height == 1 || line_stride >= line_bytes(), where, "the line stride ", line_stride,
            " is less than a line of ", line_bytes(), " bytes");
    require(surfaces == 1 || surface_stride >= line_bytes(), where, "the surface stride ",
            surface_stride, " is less than a line of ", line_bytes(), " bytes");
  }
};

// One surface of a cube, its lines joined.
inline void read_surface(const cube& c, std::uint64_t surface, std::span<std::uint8_t> to) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->read(at, to.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->read(at + y * c.line_stride, to.subspan(y * line, line));
}

// The surface where it is in memory, until the next write there, if it lies together; otherwise
// null.
inline const std::uint8_t* view_surface(const cube& c, std::uint64_t surface) {
  if (c.line_stride != c.line_bytes() && c.height != 1) return nullptr;
  return c.ram->view(c.base + surface * c.surface_stride, c.surface_bytes());
}

inline void write_surface(const cube& c, std::uint64_t surface,
                          std::span<const std::uint8_t> from) {
  const auto at = c.base + surface * c.surface_stride;
  const auto line = static_cast<std::size_t>(c.line_bytes());
  if (c.line_stride == line || c.height == 1)
    return c.ram->write(at, from.first(static_cast<std::size_t>(c.surface_bytes())));
  for (std::size_t y = 0; y < c.height; ++y)
    c.ram->write(at + y * c.line_stride, from.subspan(y * line, line));
}

}  // namespace nvdlac::sim
