// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where each element of the user's tensors lies, in words: for the comments of traces and sources.
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::layer {

// "[1, 4, 5, 3]"
std::string shape_text(const std::vector<std::int32_t>& shape);

// "'y' of [1, 4, 5, 3]: its elements in row-major order are those number i * 5 + j + k * 20 of
// 3x4x5 in c-h-w order, i < 4, j < 5, k < 3"; of a part: "'y' of [1, 24, 400]: its element
// 1600 + i in row-major order is number i of 20x1x400 in c-h-w order, i < 8000"
std::string placement_text(const net::file_tensor& t, const net::shape& cube);

// "3x4x5 of int8: element (c, y, x) at byte c / 8 * 160 + y * 40 + x * 8 + c % 8"
std::string placement_text(const surface& s, bytes atom);
// Pixels are lines of interleaved channels; so are values that CDMA reads as an image.
std::string interleaved_placement_text(const surface& s, bool picture);

// The worth of a step of each channel where channels have gains, in lines of eight: "channels 0 to
// 7: a step is worth 0.5, 0.25, .."
std::vector<std::string> step_lines(double scale, const std::vector<double>& gain);

// Where each element of what the user binds lies; then a line for each tensor of his file, which
// element of it that is. Of a program's binding or a loaded one's; `picture`: its bytes are
// unsigned.
inline std::vector<std::string> placement_lines(const auto& binding, bool picture, bytes atom) {
  const surface s = binding.seen();
  std::vector<std::string> lines{s.is_interleaved() ? interleaved_placement_text(s, picture)
                                                    : placement_text(s, atom)};
  // Pixels have more channels in memory than in the network.
  const auto& cube = s.is_interleaved() ? binding.shape : s.shape;
  for (const auto& t : binding.in_file) lines.push_back(placement_text(t, cube));
  return lines;
}

}  // namespace nvdlac::layer

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/layer/placement_text.ipp>
#endif
