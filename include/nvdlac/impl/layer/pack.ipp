// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::layer {

namespace detail {

NVDLAC_IMPL void expect_bytes(const char* what, std::size_t is, std::uint64_t should) {
  if (is != should) throw error(text(what, " has ", is, " bytes, not ", should));
}

NVDLAC_IMPL void expect_room(const surface& s, bytes atom, std::size_t size) {
  const auto c = static_cast<std::uint64_t>(s.shape.c);
  const auto lanes = lanes_of(atom, s.precision);
  const auto last = (c - 1) / lanes * lanes;  // the first channel of the last surface
  const auto needed = offset_of(s, atom, static_cast<std::int32_t>(last), s.shape.h - 1,
                                s.shape.w - 1) +
                      (c < lanes ? c : lanes) * hw::element_bytes(s.precision);
  if (needed > size) throw error(text("a cube of ", needed, " bytes does not fit into ", size));
}

NVDLAC_IMPL void clear_free_lanes(const surface& s, bytes atom, std::span<std::uint8_t> memory) {
  const auto lanes = static_cast<std::int32_t>(lanes_of(atom, s.precision));
  const auto used = s.shape.c % lanes;
  if (used == 0 || s.is_interleaved()) return;
  const auto size = hw::element_bytes(s.precision);
  for (std::int32_t y = 0; y < s.shape.h; ++y)
    for (std::int32_t x = 0; x < s.shape.w; ++x) {
      const auto last = static_cast<std::size_t>(offset_of(s, atom, s.shape.c - 1, y, x));
      const auto free = memory.subspan(std::min(memory.size(), last + size));
      const auto count = static_cast<std::size_t>(lanes - used) * size;
      std::ranges::fill(free.first(std::min(free.size(), count)), std::uint8_t{});
    }
}

}  // namespace detail

NVDLAC_IMPL void pack_pixels(std::span<const std::uint8_t> picture, std::int32_t channels,
                             const surface& s, std::span<std::uint8_t> memory) {
  const auto w = static_cast<std::size_t>(s.shape.w), in = static_cast<std::size_t>(channels);
  detail::expect_bytes("the picture", picture.size(), static_cast<std::size_t>(s.shape.h) * w * in);
  detail::fill_pixels<std::uint8_t>(
      channels, s, memory, [&](std::size_t c, std::size_t y, std::size_t x) {
    return picture[(y * w + x) * in + c];
  });
}

}  // namespace nvdlac::layer
