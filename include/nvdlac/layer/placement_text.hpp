// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where each element of the user's tensors lies, in words: for the comments of traces and sources.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::layer {

// "[1, 4, 5, 3]"
inline std::string shape_text(const std::vector<std::int32_t>& shape) {
  std::string s;
  for (const auto d : shape) s += text(s.empty() ? "" : ", ", d);
  return '[' + s + ']';
}

// "'y' of [1, 4, 5, 3]: its elements in row-major order are those number i * 5 + j + k * 20 of
// 3x4x5 in c-h-w order, i < 4, j < 5, k < 3"
inline std::string placement_text(const net::file_tensor& t, const net::shape& cube) {
  std::string s = text('\'', t.name, "' of ", shape_text(t.shape),
                       ": its elements in row-major order are those ");
  if (t.walk.empty()) return s + text("of ", cube, " in c-h-w order");
  std::string number, bounds;
  for (std::size_t axis = 0; axis < t.walk.size(); ++axis) {
    const auto [count, stride] = t.walk[axis];
    const std::string i = axis < 8 ? std::string(1, "ijklmnop"[axis]) : text('i', axis);
    number += text(axis == 0 ? "" : " + ", i, stride == 1 ? "" : text(" * ", stride));
    bounds += text(", ", i, " < ", count);
  }
  return s + text("number ", number, " of ", cube, " in c-h-w order", bounds);
}

// "3x4x5 of int8: element (c, y, x) at byte c / 8 * 160 + y * 40 + x * 8 + c % 8"
inline std::string placement_text(const surface& s, bytes atom) {
  const auto lanes = lanes_of(atom, s.precision);
  const auto size = hw::element_bytes(s.precision);
  return text(s.shape, " of ", hw::name_of(s.precision), ": element (c, y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), "c / ", lanes, " * ",
              s.surface_stride, " + y * ", s.line_stride, " + x * ", atom.n, " + c % ", lanes,
              size == 1 ? "" : text(" * ", size));
}
// Pixels are lines of interleaved channels; so are values that CDMA reads as an image.
inline std::string interleaved_placement_text(const surface& s, bool picture) {
  return text(picture ? "pixels" : "values of int8 in pixels", ": channel c of (y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), "y * ", s.line_stride, " + x * ",
              s.shape.c, " + c");
}

// Where each element of what the user binds lies; then a line for each tensor of his file, which
// element of it that is. Of a program's binding or a loaded one's; `picture`: its bytes are
// unsigned.
inline std::vector<std::string> placement_lines(const auto& binding, bool picture, bytes atom) {
  const auto& s = binding.surface;
  std::vector<std::string> lines{s.is_interleaved() ? interleaved_placement_text(s, picture)
                                                    : placement_text(s, atom)};
  // Pixels have more channels in memory than in the network.
  const auto& cube = s.is_interleaved() ? binding.shape : s.shape;
  for (const auto& t : binding.in_file) lines.push_back(placement_text(t, cube));
  return lines;
}

}  // namespace nvdlac::layer
