// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <boost/crc.hpp>
#include <stb/stb_image.h>

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

// What the header of a PNG says of its rows.
struct png_header {
  std::size_t width = 0, height = 0, bits = 0;  // of a pixel
  bool interlaced = false;

  // The bytes of its unpacked data: each row begins with a byte for its filter.
  std::size_t unpacked() const {
    const auto rows = [&](std::size_t w, std::size_t h) {
      return w == 0 ? 0 : h * (1 + (w * bits + 7) / 8);
    };
    if (!interlaced) return rows(width, height);
    constexpr struct { std::size_t x, y, step_x, step_y; } passes[] = {
        {0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
        {0, 1, 1, 2}};
    std::size_t all = 0;
    for (const auto& p : passes)
      all += rows((width + p.step_x - 1 - p.x) / p.step_x,
                  (height + p.step_y - 1 - p.y) / p.step_y);
    return all;
  }
};

inline png_header read_png_header(const std::uint8_t* data) {
  constexpr std::size_t channels[] = {1, 0, 3, 1, 2, 0, 4, 0};
  return {.width = big_endian_word(data), .height = big_endian_word(data + 4),
          .bits = data[8] * channels[data[9] & 7], .interlaced = data[12] != 0};
}

// The decoder does not look at the checksums of a PNG, fills up what is cut off, and unpacks any
// number of bytes for a picture of any size; this does not let such a file pass. Throws
// nvdlac::error unless every chunk is whole, IEND is the last, and the data are those of the size
// in the header, which the caller has found to be plausible.
inline void check_png(const file_bytes& bytes, const std::string& file) {
  std::size_t at = png_magic.size();
  png_header header;
  file_bytes packed;
  for (bool first = true;; first = false) {
    if (bytes.size() - at < 12) refuse(file, "is a PNG that ends too early");
    const std::size_t length = big_endian_word(bytes.data() + at);
    if (bytes.size() - at - 12 < length) refuse(file, "is a PNG that ends too early");
    const std::uint8_t *type = bytes.data() + at + 4, *data = type + 4;
    boost::crc_32_type crc;
    crc.process_bytes(type, length + 4);
    if (crc.checksum() != big_endian_word(data + length))
      refuse(file, text("is a PNG with a wrong checksum at byte ", at));
    const auto is = [&](const char* name) { return std::memcmp(type, name, 4) == 0; };
    if (first != is("IHDR") || (first && length != 13))
      refuse(file, "is a PNG without one header at its beginning");
    if (first) header = read_png_header(data);
    if (is("IDAT")) packed.insert(packed.end(), data, data + length);
    at += 12 + length;
    if (is("IEND")) break;
  }
  file_bytes unpacked(header.unpacked());
  const auto count = [](const file_bytes& b) { return static_cast<int>(b.size()); };
  const int made = stbi_zlib_decode_buffer(reinterpret_cast<char*>(unpacked.data()),
                                           count(unpacked),
                                           reinterpret_cast<const char*>(packed.data()),
                                           count(packed));
  if (made != count(unpacked))
    refuse(file, text("is a PNG whose data are not the ", unpacked.size(), " bytes of its ",
                      header.width, 'x', header.height, " pixels"));
}

}  // namespace nvdlac::data::detail
