// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
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
  const std::string s = text('\'', t.name, "' of ", shape_text(t.shape), ": ");
  const auto whole = "its elements in row-major order are those ";
  if (t.walk.empty()) return s + whole + text("of ", cube, " in c-h-w order");
  std::string number, in_file = t.first == 0 ? "" : text(t.first), bounds;
  for (std::size_t axis = 0; axis < t.walk.size(); ++axis) {
    const auto [count, stride] = t.walk[axis];
    const std::string i = axis < 8 ? std::string(1, "ijklmnop"[axis]) : text('i', axis);
    const auto times = [&](std::string& sum, std::int32_t by) {
      sum += text(sum.empty() ? "" : " + ", i, by == 1 ? "" : text(" * ", by));
    };
    times(number, stride);
    if (t.is_part()) times(in_file, t.spread[axis]);
    bounds += text(", ", i, " < ", count);
  }
  return s + (t.is_part() ? text("its element ", in_file, " in row-major order is ") : whole) +
         text("number ", number, " of ", cube, " in c-h-w order", bounds);
}

namespace detail {

// The letters that count the lines of a cube in memory, and its columns.
NVDLAC_IMPL char line_of(const surface& s) { return s.transposed ? 'x' : 'y'; }
NVDLAC_IMPL char column_of(const surface& s) { return s.transposed ? 'y' : 'x'; }

}  // namespace detail

NVDLAC_IMPL std::string placement_text(const surface& s, bytes atom) {
  const auto lanes = lanes_of(atom, s.precision);
  const auto size = hw::element_bytes(s.precision);
  return text(s.shape, " of ", hw::name_of(s.precision), ": element (c, y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), "c / ", lanes, " * ",
              s.surface_stride, " + ", detail::line_of(s), " * ", s.line_stride, " + ",
              detail::column_of(s), " * ", atom.n, " + c % ", lanes,
              size == 1 ? "" : text(" * ", size));
}

NVDLAC_IMPL std::vector<std::string> step_lines(double scale, const std::vector<double>& gain) {
  constexpr std::size_t of_line = 8;
  std::vector<std::string> lines;
  for (std::size_t first = 0; first < gain.size(); first += of_line) {
    const auto end = std::min(gain.size(), first + of_line);
    auto line = text("channels ", first, " to ", end - 1, ": a step is worth ");
    for (std::size_t c = first; c < end; ++c)
      line += text(c == first ? "" : ", ", scale * gain[c]);
    lines.push_back(std::move(line));
  }
  return lines;
}

NVDLAC_IMPL std::string interleaved_placement_text(const surface& s, bool picture) {
  const auto size = hw::element_bytes(s.precision);
  return text(picture ? "pixels" : text("values of ", hw::name_of(s.precision), " in pixels"),
              ": channel c of (y, x) at byte ",
              s.at.offset == 0 ? "" : text(s.at.offset, " + "), detail::line_of(s), " * ",
              s.line_stride, " + ", detail::column_of(s), " * ",
              static_cast<std::uint32_t>(s.shape.c) * size, " + c",
              size == 1 ? "" : text(" * ", size));
}

}  // namespace nvdlac::layer
