// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures of any size as those of a network. As stb_image.h, stb_image_resize.h is only declared
// here: its code comes from the library `stb`.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <stb/stb_image_resize.h>

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/net/preprocessing.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::data {
namespace detail {

// With the triangular filter (bilinear), which is as wide as the pixels of the result: what is made
// smaller is averaged, as the recipes of the usual classifiers do it (Pillow's BILINEAR).
inline picture scaled(const picture& p, std::size_t height, std::size_t width,
                      const std::string& file) {
  if (p.height == height && p.width == width) return p;
  picture to{height, width, p.channels, {}};
  require_plausible(to, file);
  if (!std::in_range<int>(height * width * p.channels))
    refuse(file, text("would have ", width, 'x', height, " pixels"), "a smaller --resize");
  to.pixels.resize(height * width * p.channels);
  const auto count = [](std::size_t n) { return static_cast<int>(n); };
  if (stbir_resize_uint8_generic(p.pixels.data(), count(p.width), count(p.height), 0,
                                 to.pixels.data(), count(width), count(height), 0,
                                 count(p.channels), STBIR_ALPHA_CHANNEL_NONE, 0, STBIR_EDGE_CLAMP,
                                 STBIR_FILTER_TRIANGLE, STBIR_COLORSPACE_LINEAR, nullptr) == 0)
    refuse(file, text("cannot be resized from ", p.width, 'x', p.height, " to ", width, 'x', height,
                      " pixels"));
  return to;
}

// Copies a part of `from`, which begins at (y, x), over the part of `to` that begins at (v, u).
inline void copy_pixels(const picture& from, std::size_t y, std::size_t x, picture& to,
                        std::size_t v, std::size_t u, std::size_t height, std::size_t width) {
  for (std::size_t row = 0; row < height; ++row)
    std::copy_n(from.pixels.data() + ((y + row) * from.width + x) * from.channels,
                width * from.channels,
                to.pixels.data() + ((v + row) * to.width + u) * to.channels);
}

// The middle of a picture that has at least so many pixels; of an odd rest, one more is cut from
// the bottom and from the right.
inline picture middle(const picture& p, std::size_t height, std::size_t width) {
  if (p.height == height && p.width == width) return p;
  picture to{height, width, p.channels, std::vector<std::uint8_t>(height * width * p.channels)};
  copy_pixels(p, (p.height - height) / 2, (p.width - width) / 2, to, 0, 0, height, width);
  return to;
}

// In the middle of a grey one of this size.
inline picture framed(const picture& p, std::size_t height, std::size_t width) {
  constexpr std::uint8_t grey_beside = 127;
  picture to{height, width, p.channels,
             std::vector<std::uint8_t>(height * width * p.channels, grey_beside)};
  copy_pixels(p, 0, 0, to, (height - p.height) / 2, (width - p.width) / 2, p.height, p.width);
  return to;
}

// With its proportions, the largest that fits (or, to cover, the smallest that fills) this size;
// the other side is rounded down.
inline picture scaled_evenly(const picture& p, std::size_t height, std::size_t width, bool to_cover,
                             const std::string& file) {
  const bool wider = p.width * height >= p.height * width;
  const auto other = [](std::size_t n, std::size_t by, std::size_t of) {
    return std::max<std::size_t>(1, n * by / of);
  };
  return wider == to_cover ? scaled(p, height, other(p.width, height, p.height), file)
                           : scaled(p, other(p.height, width, p.width), width, file);
}

inline picture scaled_as(const picture& p, const net::picture_size& s, std::size_t height,
                         std::size_t width, const std::string& file) {
  switch (s.resize) {
    case net::resizing::stretch: return scaled(p, height, width, file);
    case net::resizing::fit:
      return framed(scaled_evenly(p, height, width, false, file), height, width);
    case net::resizing::fill:
      return middle(scaled_evenly(p, height, width, true, file), height, width);
    case net::resizing::shorter: return scaled_evenly(p, height, width, true, file);
    case net::resizing::none: break;
  }
  return p;
}

}  // namespace detail

// The picture with the size that the network takes: resized, then cut. `file` is for messages.
// Throws nvdlac::error if what is left to cut from is too small; where `s` does not lead to that
// size, the result has another one, which `arrange` refuses.
inline picture resized(const picture& p, const net::shape& want, const net::picture_size& s,
                       const std::string& file) {
  const auto of = [](std::int32_t given, std::int32_t otherwise) {
    return static_cast<std::size_t>(given != 0 ? given : otherwise);
  };
  auto q = detail::scaled_as(p, s, of(s.side, want.h), of(s.side, want.w), file);
  const auto height = of(s.crop, want.h), width = of(s.crop, want.w);
  const bool larger = q.height >= height && q.width >= width;
  if (s.crop == 0 && !larger) return q;
  if (!larger)
    refuse(file, text("has ", q.width, 'x', q.height, " pixels",
                      s.resize == net::resizing::none ? "" : " when it is resized", ", of which ",
                      width, 'x', height, " cannot be cut"),
           "a smaller --crop, or a larger --resize");
  return detail::middle(q, height, width);
}

}  // namespace nvdlac::data
