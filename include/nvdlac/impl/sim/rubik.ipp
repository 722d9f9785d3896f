// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/rubik.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void rubik_engine::run(const rubik_layer& l) {
  switch (l.mode) {
    case rubik_mode::contract: return contract(l);
    case rubik_mode::split: return split(l);
    case rubik_mode::merge: return merge(l);
  }
}

NVDLAC_IMPL void rubik_engine::contract(const rubik_layer& l) {
  const auto size = static_cast<std::size_t>(l.line_bytes());
  in_.resize(size);
  out_.resize(size * l.x_stride);
  for (std::uint64_t s = 0; s < l.surfaces(); ++s)
    for (std::uint64_t h = 0; h < l.height; ++h)
      for (std::uint64_t y = 0; y < l.y_stride; ++y) {
        for (std::size_t x = 0; x < l.x_stride; ++x) {
          l.source.ram->read(l.source.base + (y * l.x_stride + x) * l.group_stride +
                                 s * l.source.surface_stride + h * l.source.line_stride,
                             in_);
          for (std::size_t w = 0; w < l.width; ++w)
            std::copy_n(&in_[w * l.atom], l.atom, &out_[(w * l.x_stride + x) * l.atom]);
        }
        l.destination.ram->write(l.destination.base + s * l.destination.surface_stride +
                                     h * l.row_stride + y * l.destination.line_stride,
                                 out_);
      }
}

NVDLAC_IMPL void rubik_engine::split(const rubik_layer& l) {
  in_.resize(static_cast<std::size_t>(l.line_bytes()));
  out_.assign(static_cast<std::size_t>(l.padded_row_bytes()), 0);
  each_line(l, [&](std::uint64_t s, std::uint64_t h, std::uint32_t channels) {
    l.source.ram->read(cube_line(l.source, s, h), in_);
    for (std::uint32_t c = 0; c < channels; ++c) {
      for (std::size_t w = 0; w < l.width; ++w)
        std::copy_n(&in_[w * l.atom + c * l.element], l.element, &out_[w * l.element]);
      l.destination.ram->write(plane_line(l.destination, s * l.lanes() + c, h), out_);
    }
  });
}

NVDLAC_IMPL void rubik_engine::merge(const rubik_layer& l) {
  in_.resize(static_cast<std::size_t>(l.row_bytes()));
  each_line(l, [&](std::uint64_t s, std::uint64_t h, std::uint32_t channels) {
    out_.assign(static_cast<std::size_t>(l.line_bytes()), 0);
    for (std::uint32_t c = 0; c < channels; ++c) {
      l.source.ram->read(plane_line(l.source, s * l.lanes() + c, h), in_);
      for (std::size_t w = 0; w < l.width; ++w)
        std::copy_n(&in_[w * l.element], l.element, &out_[w * l.atom + c * l.element]);
    }
    l.destination.ram->write(cube_line(l.destination, s, h), out_);
  });
}

NVDLAC_IMPL void check_rubik_side(std::string_view unit, const rubik_layer::side& s,
                                  std::uint64_t outer, std::uint64_t outer_stride,
                                  std::uint64_t lines, std::uint64_t line_bytes, bool written) {
  const auto size = (outer - 1) * outer_stride + (lines - 1) * s.line_stride + line_bytes;
  require(s.ram->contains(s.base, size), text(unit, "_ADDR_LOW"), "the ", size, " bytes at 0x",
          std::hex, s.base, " are beyond the address width of the configuration");
  if (!written) return;
  require(lines == 1 || s.line_stride >= line_bytes, text(unit, "_LINE_STRIDE"),
          "the line stride ", s.line_stride, " is less than a line of ", line_bytes, " bytes");
  require(outer == 1 || outer_stride >= line_bytes, unit, "the stride ", outer_stride,
          " of surfaces or planes is less than a line of ", line_bytes, " bytes");
}

NVDLAC_IMPL void check_rubik_addresses(const rubik_layer& l) {
  constexpr std::string_view in = "RBK.D_DAIN", out = "RBK.D_DAOUT";
  const bool split = l.mode == rubik_mode::split;
  if (l.mode == rubik_mode::contract) {
    check_rubik_side(in, l.source, std::uint64_t{l.x_stride} * l.y_stride * l.surfaces(),
                     l.source.surface_stride, l.height, l.line_bytes(), false);
    const auto line = l.line_bytes() * l.x_stride;
    check_rubik_side(out, l.destination, l.surfaces(), l.destination.surface_stride, l.y_stride,
                     line, true);
    require(l.height == 1 || l.row_stride >= line, "RBK.D_CONTRACT_STRIDE_1", "the stride ",
            l.row_stride, " is less than a line of ", line, " bytes");
    const auto size = (l.surfaces() - 1) * l.destination.surface_stride +
                      (l.height - 1) * l.row_stride +
                      (l.y_stride - 1) * l.destination.line_stride + line;
    require(l.destination.ram->contains(l.destination.base, size), "RBK.D_DAOUT_ADDR_LOW",
            "the output is beyond the address width of the configuration");
  } else {
    const auto& cube = split ? l.source : l.destination;
    const auto& planes = split ? l.destination : l.source;
    check_rubik_side(split ? in : out, cube, l.surfaces(), cube.surface_stride, l.height,
                     l.line_bytes(), !split);
    check_rubik_side(split ? out : in, planes, l.channels, planes.planar_stride, l.height,
                     split ? l.padded_row_bytes() : l.row_bytes(), split);
  }
}

}  // namespace nvdlac::sim
