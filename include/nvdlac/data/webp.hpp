// SPDX-License-Identifier: Apache-2.0
#pragma once
// WebP, where nvdlac is built with its library (NVDLAC_WEBP); otherwise the file is refused.
#include <string>
#ifdef NVDLAC_WEBP
#include <webp/decode.h>
#endif

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>

namespace nvdlac::data::detail {

#ifdef NVDLAC_WEBP

// Of 3 channels, or of 4 with alpha, and without pixels yet.
inline picture webp_header(const file_bytes& bytes, const std::string& file) {
  WebPBitstreamFeatures found;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &found) != VP8_STATUS_OK)
    refuse(file, "is a damaged picture");
  if (found.has_animation != 0)
    refuse(file, "is a WebP animation", "give its pictures one by one");
  return {static_cast<std::size_t>(found.height), static_cast<std::size_t>(found.width),
          found.has_alpha != 0 ? std::size_t{4} : std::size_t{3}, {}};
}

inline void decode_webp(const file_bytes& bytes, picture& p, const std::string& file) {
  p.pixels.resize(p.height * p.width * p.channels);
  const auto stride = static_cast<int>(p.width * p.channels);
  const auto* const done =
      p.channels == 4
          ? WebPDecodeRGBAInto(bytes.data(), bytes.size(), p.pixels.data(), p.pixels.size(), stride)
          : WebPDecodeRGBInto(bytes.data(), bytes.size(), p.pixels.data(), p.pixels.size(), stride);
  if (done == nullptr) refuse(file, "is a damaged picture, or ends too early");
}

#else

inline picture webp_header(const file_bytes&, const std::string& file) {
  refuse(file, "is a WebP picture, for which this nvdlac is built without libwebp",
         "convert it to PNG (dwebp FILE -o FILE.png), or build nvdlac where libwebp-dev is "
         "installed");
}
inline void decode_webp(const file_bytes&, picture&, const std::string&) {}

#endif

}  // namespace nvdlac::data::detail
