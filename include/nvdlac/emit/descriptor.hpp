// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptors, and data cubes in them. In descriptors a location's buffer is an
// index into the task's address list.
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

// The record that a loadable keeps of a layer: specialised for each kind, with `encode(layer,
// atom)` and `decode(descriptor)`. A hardware layer's is an element `op` of the operation list
// and an element `surface` of the surface list; one of the host has an `op` and buffers.
template <class Layer>
struct descriptor_of;

// Names what cannot be expressed: "sdp.x1_op.mode is 7, of which ..."
[[noreturn]] void not_supported(std::string_view field, long long value, std::string_view what);

// The value in the descriptor's type; one that does not fit is an `error` that names the field.
template <std::integral To, std::integral From>
constexpr To narrow(From value, std::string_view field) {
  if (!std::in_range<To>(value))
    throw error(problem{.reason = text("a loadable holds no more than ",
                                       +std::numeric_limits<To>::max(), " in the field ", field,
                                       " of the public firmware, and this is ", value),
                        .remedy = "a smaller network, or a part of it: --from, --to"});
  return static_cast<To>(value);
}

constexpr void expect(bool holds, std::string_view field, long long value, std::string_view what) {
  if (!holds) not_supported(field, value, what);
}

constexpr firmware::cube encode(const layer::surface& s, std::string_view field) {
  firmware::cube c;
  const bool flying = s.at.on_the_fly();
  c.type = static_cast<std::uint16_t>(flying        ? firmware::memory::hardware
                                      : s.at.cvsram ? firmware::memory::sram
                                                    : firmware::memory::dram);
  if (!flying) {
    c.address = narrow<std::int16_t>(s.at.buffer, field);
    c.offset = narrow<std::uint32_t>(s.at.offset, field);
  }
  c.size = narrow<std::uint32_t>(s.size, field);
  c.width = narrow<std::uint16_t>(s.shape.w, field);
  c.height = narrow<std::uint16_t>(s.shape.h, field);
  c.channel = narrow<std::uint16_t>(s.shape.c, field);
  c.line_stride = s.line_stride;
  c.surf_stride = s.surface_stride;
  return c;
}

layer::location decode_location(const firmware::cube& c, std::string_view field);

// The firmware's codes are those of the registers.
constexpr std::uint8_t encode(hw::precision p) { return static_cast<std::uint8_t>(p); }
hw::precision decode_precision(std::uint8_t code, std::string_view field);

// Cubes of data are never empty.
layer::surface decode(const firmware::cube& c, std::string_view field,
                      hw::precision p = hw::precision::int8);

constexpr firmware::cvt encode(const converter& c, bool enable) {
  return {c.scale, c.shift, enable, c.offset};
}
inline converter decode(const firmware::cvt& c) { return {c.offset, c.scale, c.truncate}; }

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/descriptor.ipp>
#endif
