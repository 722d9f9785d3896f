// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/version.hpp>

namespace nvdlac::lower {

// A 16-bit number as memory has it.
constexpr void put_two_bytes(std::int16_t v, std::uint8_t* to) {
  to[0] = static_cast<std::uint8_t>(v & 0xff);
  to[1] = static_cast<std::uint8_t>((v >> 8) & 0xff);
}

}  // namespace nvdlac::lower
