// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <boost/crc.hpp>

#include <nvdlac/data/file.hpp>

namespace nvdlac::data::detail {

inline constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";

inline bool starts_with(const file_bytes& bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

inline std::uint32_t big_endian_word(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

// The decoder does not look at the checksums of a PNG and fills up what is cut off; this does not
// let such a file pass. Throws nvdlac::error unless every chunk is whole and IEND is the last.
inline void check_png(const file_bytes& bytes, const std::string& file) {
  std::size_t at = png_magic.size();
  for (;;) {
    if (bytes.size() - at < 12) refuse(file, "is a PNG that ends too early");
    const std::size_t length = big_endian_word(bytes.data() + at);
    if (bytes.size() - at - 12 < length) refuse(file, "is a PNG that ends too early");
    const std::uint8_t* type = bytes.data() + at + 4;
    boost::crc_32_type crc;
    crc.process_bytes(type, length + 4);
    if (crc.checksum() != big_endian_word(type + 4 + length))
      refuse(file, text("is a PNG with a wrong checksum at byte ", at));
    at += 12 + length;
    if (std::memcmp(type, "IEND", 4) == 0) return;
  }
}

}  // namespace nvdlac::data::detail
