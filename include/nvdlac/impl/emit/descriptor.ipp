// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL void not_supported(std::string_view field, long long value, std::string_view what) {
  throw error(text("the descriptor field ", field, " is ", value, ": ", what));
}

NVDLAC_IMPL layer::location decode_location(const firmware::cube& c, std::string_view field) {
  if (c.type == static_cast<std::uint16_t>(firmware::memory::hardware)) return {};
  const bool in_sram = c.type == static_cast<std::uint16_t>(firmware::memory::sram);
  expect(in_sram || c.type == static_cast<std::uint16_t>(firmware::memory::dram), field, c.type,
         "memory types are 0 (DRAM), 1 (SRAM) and 2 (hardware)");
  expect(c.address >= 0, field, c.address, "a cube in memory needs an address");
  return {c.address, c.offset, in_sram};
}

NVDLAC_IMPL hw::precision decode_precision(std::uint8_t code, std::string_view field) {
  expect(code <= encode(hw::precision::fp16), field, code, "no such precision");
  return static_cast<hw::precision>(code);
}

NVDLAC_IMPL layer::surface decode(const firmware::cube& c, std::string_view field,
                                  hw::precision p) {
  const auto at = decode_location(c, field);
  expect(c.width > 0 && c.height > 0 && c.channel > 0, field, 0, "the cube is empty");
  expect(c.plane_stride == 0, field, c.plane_stride, "plane strides are for planes of Rubik only");
  return {at, {c.channel, c.height, c.width}, c.line_stride, c.surf_stride, c.size, p};
}

}  // namespace nvdlac::emit
