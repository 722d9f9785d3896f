// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <boost/crc.hpp>
#include <stb/stb_image.h>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>

#ifdef NVDLAC_WEBP
#include <webp/decode.h>
#endif

namespace nvdlac::data::detail {

// WebP, where nvdlac is built with its library (NVDLAC_WEBP); otherwise the file is refused.

#ifdef NVDLAC_WEBP

// The size of a picture of 3 channels, or of 4 with alpha, without pixels yet.
picture webp_header(const file_bytes& bytes, const std::string& file);

void decode_webp(const file_bytes& bytes, picture& p, const std::string& file);

#else

inline picture webp_header(const file_bytes&, const std::string& file) {
  refuse(file, "is a WebP picture, for which this nvdlac is built without libwebp",
         "convert it to PNG (dwebp FILE -o FILE.png), or build nvdlac where libwebp-dev is "
         "installed");
}
inline void decode_webp(const file_bytes&, picture&, const std::string&) {}

#endif

inline constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";

bool starts_with(const file_bytes& bytes, std::string_view magic);

std::uint32_t big_endian_word(const std::uint8_t* p);

// The rows of a PNG, by its header.
struct png_header {
  std::size_t width = 0, height = 0, bits = 0;  // of a pixel
  bool interlaced = false;

  // The bytes of its unpacked data: each row begins with a byte for its filter.
  std::size_t unpacked() const;
};

png_header read_png_header(const std::uint8_t* data);

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

// Only stb_image's declarations are included: its code comes from the library `stb` (Debian's
// libstb-dev). Code in this header would be a second definition in every translation unit.
namespace nvdlac::data {

namespace detail {

// stb_image guesses many formats; taken are those whose signature can be told from noise.
bool is_picture(const file_bytes& bytes);
bool is_webp(const file_bytes& bytes);

std::size_t little_endian_word(const file_bytes& bytes, std::size_t at);

// The header of a PGM or PPM: three numbers and one blank. Comments run from # to the end of the
// line.
struct pnm_header {
  std::size_t pixels = 0;      // where they begin
  std::uint32_t maximum = 0;   // that a sample may have

  std::size_t sample_bytes() const { return maximum > 255 ? 2 : 1; }
};
pnm_header read_pnm_header(const file_bytes& bytes);

// The samples of a whole PGM or PPM, whose maximum becomes 255.
void decode_pnm(const file_bytes& bytes, picture& p, const std::string& file);

// Larger pictures are refused before they are decoded.
inline void require_plausible(const picture& p, const std::string& file,
                              std::uint64_t most_samples) try {
  require_within(&budget::samples, std::uint64_t{p.height} * p.width * p.channels, most_samples);
} catch (const error& e) {
  const auto& found = e.problems().front();
  refuse(file, text("has ", p.width, "x", p.height, " pixels: ", found.reason), found.remedy);
}

// Each scan of a JPEG may cost as much time as the whole picture, and takes few bytes.
void check_scans(const file_bytes& bytes, const std::string& file);

// A file that is cut off would be decoded with made-up pixels.
void check_whole(const file_bytes& bytes, const picture& p, const std::string& file);

// Takes out an alpha channel, which must be opaque.
void drop_alpha(picture& p, const std::string& file);

// How the EXIF data of a JPEG say that the camera was held, 1 to 8; 1, upright, where they do not.
int orientation_of(const file_bytes& jpeg);
// The picture upright.
picture turned(const picture& p, int orientation);

}  // namespace detail

namespace detail {

picture parse_webp(const file_bytes& bytes, const std::string& file, std::uint64_t most_samples);

}  // namespace detail

// Decodes PNG, JPEG, BMP, WebP of 8 bits, PGM or PPM of any maximum into 1 (grey) or 3 (red, green,
// blue) channels, a JPEG upright. `file` is for messages. More than `most_samples`
// (budget::samples) are refused.
picture parse_picture(const file_bytes& bytes, const std::string& file,
                      std::uint64_t most_samples = budget{}.samples);

picture read_picture(const std::filesystem::path& path,
                     std::uint64_t most_samples = budget{}.samples);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/picture.ipp>
#endif
