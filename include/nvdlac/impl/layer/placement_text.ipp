// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::layer {

NVDLAC_IMPL std::string shape_text(const std::vector<std::int32_t>& shape) {
  std::string s;
  for (const auto d : shape) s += text(s.empty() ? "" : ", ", d);
  return '[' + s + ']';
}

NVDLAC_IMPL std::string placement_text(const net::file_tensor& t, const net::shape& cube) {
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

NVDLAC_IMPL std::string placement_text(const surface& s, bytes atom) {
  const auto lanes = lanes_of(atom, s.precision);
  const auto size = hw::element_bytes(s.precision);
  return text(s.shape, " of ", hw::name_of(s.precision), ": element (c, y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), "c / ", lanes, " * ",
              s.surface_stride, " + y * ", s.line_stride, " + x * ", atom.n, " + c % ", lanes,
              size == 1 ? "" : text(" * ", size));
}

NVDLAC_IMPL std::string interleaved_placement_text(const surface& s, bool picture) {
  return text(picture ? "pixels" : "values of int8 in pixels", ": channel c of (y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), "y * ", s.line_stride, " + x * ",
              s.shape.c, " + c");
}

}  // namespace nvdlac::layer
