// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/picture.hpp>

namespace nvdlac::data {

#ifdef NVDLAC_WEBP
namespace detail {

NVDLAC_IMPL picture webp_header(const file_bytes& bytes, const std::string& file) {
  WebPBitstreamFeatures found;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &found) != VP8_STATUS_OK)
    refuse(file, "is a damaged picture");
  if (found.has_animation != 0)
    refuse(file, "is a WebP animation", "give its pictures one by one");
  return {static_cast<std::size_t>(found.height), static_cast<std::size_t>(found.width),
          found.has_alpha != 0 ? std::size_t{4} : std::size_t{3}, {}};
}

NVDLAC_IMPL void decode_webp(const file_bytes& bytes, picture& p, const std::string& file) {
  p.pixels.resize(p.height * p.width * p.channels);
  const auto stride = static_cast<int>(p.width * p.channels);
  const auto* const done =
      p.channels == 4
          ? WebPDecodeRGBAInto(bytes.data(), bytes.size(), p.pixels.data(), p.pixels.size(), stride)
          : WebPDecodeRGBInto(bytes.data(), bytes.size(), p.pixels.data(), p.pixels.size(), stride);
  if (done == nullptr) refuse(file, "is a damaged picture, or ends too early");
}

}  // namespace detail

#endif

namespace detail {

NVDLAC_IMPL bool starts_with(const file_bytes& bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

NVDLAC_IMPL std::uint32_t big_endian_word(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

NVDLAC_IMPL std::size_t png_header::unpacked() const {
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

NVDLAC_IMPL png_header read_png_header(const std::uint8_t* data) {
  constexpr std::size_t channels[] = {1, 0, 3, 1, 2, 0, 4, 0};
  return {.width = big_endian_word(data), .height = big_endian_word(data + 4),
          .bits = data[8] * channels[data[9] & 7], .interlaced = data[12] != 0};
}

NVDLAC_IMPL bool is_picture(const file_bytes& bytes) {
  return starts_with(bytes, png_magic) || starts_with(bytes, "\xFF\xD8\xFF") ||
         starts_with(bytes, "BM") || starts_with(bytes, "P5") || starts_with(bytes, "P6");
}

NVDLAC_IMPL bool is_webp(const file_bytes& bytes) {
  return starts_with(bytes, "RIFF") && bytes.size() >= 12 &&
         std::memcmp(bytes.data() + 8, "WEBP", 4) == 0;
}

NVDLAC_IMPL std::size_t little_endian_word(const file_bytes& bytes, std::size_t at) {
  return std::size_t{bytes[at]} | std::size_t{bytes[at + 1]} << 8 |
         std::size_t{bytes[at + 2]} << 16 | std::size_t{bytes[at + 3]} << 24;
}

NVDLAC_IMPL pnm_header read_pnm_header(const file_bytes& bytes) {
  std::size_t at = 2;
  pnm_header h;
  const auto blank = [](std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (int number = 0; number < 3; ++number) {
    while (at < bytes.size() && (blank(bytes[at]) || bytes[at] == '#')) {
      if (bytes[at] == '#')
        while (at < bytes.size() && bytes[at] != '\n' && bytes[at] != '\r') ++at;
      else
        ++at;
    }
    for (h.maximum = 0; at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '9'; ++at)
      h.maximum = std::min(h.maximum * 10 + (bytes[at] - std::uint32_t{'0'}), 1'000'000U);
  }
  h.pixels = at + 1;
  return h;
}

NVDLAC_IMPL void decode_pnm(const file_bytes& bytes, picture& p, const std::string& file) {
  const auto h = read_pnm_header(bytes);
  if (h.maximum == 0 || h.maximum > 65535)
    refuse(file, text("is a PGM or PPM whose maximum is ", h.maximum), "1 to 65535");
  const auto size = h.sample_bytes();
  p.pixels.resize(p.height * p.width * p.channels);
  for (std::size_t i = 0; i < p.pixels.size(); ++i) {
    const auto* const from = bytes.data() + h.pixels + i * size;
    const auto sample = size == 1 ? from[0] : std::uint32_t{from[0]} << 8 | from[1];
    const auto scaled = (std::min(sample, h.maximum) * 255 + h.maximum / 2) / h.maximum;
    p.pixels[i] = static_cast<std::uint8_t>(scaled);
  }
}

NVDLAC_IMPL void check_scans(const file_bytes& bytes, const std::string& file) {
  constexpr std::size_t most = 100;
  std::size_t scans = 0;
  for (std::size_t i = 1; i < bytes.size(); ++i)
    scans += bytes[i - 1] == 0xFF && bytes[i] == 0xDA ? 1 : 0;
  if (scans > most) refuse(file, text("is a JPEG of ", scans, " scans"), text("at most ", most));
}

NVDLAC_IMPL void check_whole(const file_bytes& bytes, const picture& p, const std::string& file) {
  if (starts_with(bytes, png_magic)) return check_png(bytes, file);
  auto end = bytes.size();
  if (starts_with(bytes, "\xFF\xD8")) {
    while (end > 0 && bytes[end - 1] == 0) --end;  // padding of some cameras
    if (end < 4 || bytes[end - 2] != 0xFF || bytes[end - 1] != 0xD9)
      refuse(file, "is a JPEG that ends too early");
    check_scans(bytes, file);
  } else if (starts_with(bytes, "BM")) {  // the pixels begin where byte 10 says; rows are words
    const auto bits = end < 30 ? 0 : std::size_t{bytes[28]} | std::size_t{bytes[29]} << 8;
    if (end < 30 || end < little_endian_word(bytes, 10) + (p.width * bits + 31) / 32 * 4 * p.height)
      refuse(file, "is a BMP that ends too early");
  } else if (const auto h = read_pnm_header(bytes);
             end < h.pixels + p.height * p.width * p.channels * h.sample_bytes()) {
    refuse(file, "is a PGM or PPM that ends too early");
  }
}

NVDLAC_IMPL void drop_alpha(picture& p, const std::string& file) {
  const std::size_t from = p.channels, to = from - 1;
  for (std::size_t i = 0; i < p.height * p.width; ++i) {
    if (p.pixels[i * from + to] != 255)
      refuse(file, "is partly transparent", "save it without an alpha channel");
    for (std::size_t c = 0; c < to; ++c) p.pixels[i * to + c] = p.pixels[i * from + c];
  }
  p.pixels.resize(p.height * p.width * to);
  p.channels = to;
}

NVDLAC_IMPL int orientation_of(const file_bytes& jpeg) {
  const auto word = [&](std::size_t at, std::size_t bytes, bool little) -> std::size_t {
    if (at > jpeg.size() || jpeg.size() - at < bytes) return 0;
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = value << 8 | jpeg[at + (little ? bytes - 1 - i : i)];
    return value;
  };
  // Segments follow each other up to the first scan; that of EXIF holds a TIFF header and a
  // directory.
  constexpr std::size_t start_of_scan = 0xFFDA, app1 = 0xFFE1, orientation = 0x0112;
  for (std::size_t at = 2; word(at, 1, false) == 0xFF;) {
    const auto marker = word(at, 2, false), length = word(at + 2, 2, false);
    if (marker == start_of_scan || length < 2) break;
    const auto tiff = at + 10;
    if (marker == app1 && tiff < jpeg.size() && std::memcmp(&jpeg[at + 4], "Exif\0\0", 6) == 0) {
      const bool little = jpeg[tiff] == 'I';
      const auto directory = tiff + word(tiff + 4, 4, little);
      const auto entries = word(directory, 2, little);
      for (std::size_t i = 0; i < entries && directory + 14 + 12 * i <= at + 2 + length; ++i)
        if (word(directory + 2 + 12 * i, 2, little) == orientation) {
          const auto found = word(directory + 2 + 12 * i + 8, 2, little);
          return found >= 1 && found <= 8 ? static_cast<int>(found) : 1;
        }
    }
    at += 2 + length;
  }
  return 1;
}

NVDLAC_IMPL picture turned(const picture& p, int orientation) {
  const bool across = orientation >= 5;
  picture result{across ? p.width : p.height, across ? p.height : p.width, p.channels, {}, true};
  result.pixels.reserve(p.pixels.size());
  for (std::size_t y = 0; y < result.height; ++y)
    for (std::size_t x = 0; x < result.width; ++x) {
      std::size_t row = across ? x : y, column = across ? y : x;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7)
        row = p.height - 1 - row;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8)
        column = p.width - 1 - column;
      const auto* from = p.pixels.data() + (row * p.width + column) * p.channels;
      result.pixels.insert(result.pixels.end(), from, from + p.channels);
    }
  return result;
}

NVDLAC_IMPL picture parse_webp(const file_bytes& bytes, const std::string& file,
                               std::uint64_t most_samples) {
  auto p = webp_header(bytes, file);
  require_plausible(p, file, most_samples);
  decode_webp(bytes, p, file);
  if (p.channels == 4) drop_alpha(p, file);
  return p;
}

}  // namespace detail

NVDLAC_IMPL picture parse_picture(const file_bytes& bytes, const std::string& file,
                                  std::uint64_t most_samples) {
  if (detail::is_webp(bytes)) return detail::parse_webp(bytes, file, most_samples);
  if (!detail::is_picture(bytes))
    refuse(file, "is not a picture that is understood",
           "PNG, JPEG, BMP, WebP, binary PGM or PPM; arrays are npy, idx, raw or bin files");
  const auto size = static_cast<int>(bytes.size());  // read_file refuses 2 GiB and more
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(bytes.data(), size, &width, &height, &channels) || width <= 0 ||
      height <= 0)
    refuse(file, "is a damaged picture");
  const bool is_pnm = detail::starts_with(bytes, "P");
  if (!is_pnm && stbi_is_16_bit_from_memory(bytes.data(), size))
    refuse(file, "has 16 bits per channel", "save it with 8");
  picture p{static_cast<std::size_t>(height), static_cast<std::size_t>(width),
            static_cast<std::size_t>(channels), {}};
  detail::require_plausible(p, file, most_samples);
  detail::check_whole(bytes, p, file);
  if (is_pnm) {
    detail::decode_pnm(bytes, p, file);
    return p;
  }
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(bytes.data(), size, &width, &height, &channels, channels),
      stbi_image_free);
  if (!decoded) refuse(file, text("is a damaged picture: ", stbi_failure_reason()));
  p.pixels.assign(decoded.get(), decoded.get() + p.height * p.width * p.channels);
  if (p.channels == 2 || p.channels == 4) detail::drop_alpha(p, file);
  if (!detail::starts_with(bytes, "\xFF\xD8")) return p;
  const int orientation = detail::orientation_of(bytes);
  return orientation == 1 ? p : detail::turned(p, orientation);
}

NVDLAC_IMPL picture read_picture(const std::filesystem::path& path, std::uint64_t most_samples) {
  return parse_picture(read_file(path), path.string(), most_samples);
}

}  // namespace nvdlac::data
