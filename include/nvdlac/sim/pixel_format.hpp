// SPDX-License-Identifier: Apache-2.0
#pragma once
// The image formats of CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT that an int8 configuration reads.
#include <array>
#include <cstdint>
#include <optional>

namespace nvdlac::sim {

struct pixel_format {
  std::uint8_t channels = 0;
  std::uint8_t plane0_bytes = 0, plane1_bytes = 0;  // per pixel; plane 1 is of Y + UV only
  // Channel c is byte order[c] of the pixel: the bytes of plane 0, then those of plane 1.
  std::array<std::uint8_t, 4> order{};

  constexpr bool planar() const { return plane1_bytes != 0; }
};

// Empty: a format of 10 and more bits, or no format.
constexpr std::optional<pixel_format> int8_pixel_format(std::uint32_t code) {
  switch (code) {
    case 0: return pixel_format{1, 1, 0, {0}};                           // R8
    case 12: case 16: return pixel_format{4, 4, 0, {0, 1, 2, 3}};        // A8B8G8R8, X8B8G8R8
    case 13: case 17: case 26: return pixel_format{4, 4, 0, {2, 1, 0, 3}};  // A8R8G8B8, A8Y8U8V8
    case 14: case 18: case 27: return pixel_format{4, 4, 0, {1, 2, 3, 0}};  // B8G8R8A8, V8U8Y8A8
    case 15: case 19: return pixel_format{4, 4, 0, {3, 2, 1, 0}};        // R8G8B8A8, R8G8B8X8
    case 28: return pixel_format{3, 1, 2, {0, 2, 1}};                    // Y8, U8V8
    case 29: return pixel_format{3, 1, 2, {0, 1, 2}};                    // Y8, V8U8
    default: return std::nullopt;
  }
}

}  // namespace nvdlac::sim
