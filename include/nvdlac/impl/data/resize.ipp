// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/data/resize.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

namespace detail {

NVDLAC_IMPL std::vector<std::uint8_t> scaled_along(const std::vector<std::uint8_t>& values,
                                                   std::size_t outer, std::size_t from,
                                                   std::size_t to, std::size_t inner) {
  std::vector<std::uint8_t> result(outer * to * inner);
  std::vector<std::uint64_t> weights, sums;
  const auto reach = 2 * std::uint64_t{std::max(from, to)};
  for (std::size_t i = 0; i < to; ++i) {
    const auto middle = (2 * std::uint64_t{i} + 1) * from;
    const auto first = middle > reach ? (middle - reach) / (2 * to) : 0;
    const auto end = std::min<std::uint64_t>(from, (middle + reach) / (2 * to) + 1);
    std::uint64_t total = 0;
    weights.clear();
    for (auto x = first; x < end; ++x) {
      const auto at = (2 * x + 1) * to;
      const auto distance = at > middle ? at - middle : middle - at;
      weights.push_back(distance < reach ? reach - distance : 0);
      total += weights.back();
    }
    for (std::size_t o = 0; o < outer; ++o) {
      sums.assign(inner, total / 2);  // which rounds
      const auto* element = values.data() + (o * from + first) * inner;
      for (const auto weight : weights)
        for (auto& sum : sums) sum += weight * *element++;
      auto* written = result.data() + (o * to + i) * inner;
      for (const auto sum : sums) *written++ = static_cast<std::uint8_t>(sum / total);
    }
  }
  return result;
}

NVDLAC_IMPL picture scaled(const picture& p, std::size_t height, std::size_t width,
                           const std::string& file, std::uint64_t most_samples) {
  picture to{height, width, p.channels, {}};
  require_plausible(to, file, most_samples);
  to.pixels = width == p.width ? p.pixels
                               : scaled_along(p.pixels, p.height, p.width, width, p.channels);
  if (height != p.height)
    to.pixels = scaled_along(to.pixels, 1, p.height, height, width * p.channels);
  return to;
}

NVDLAC_IMPL void copy_pixels(const picture& from, std::size_t y, std::size_t x, picture& to,
                             std::size_t v, std::size_t u, std::size_t height, std::size_t width) {
  for (std::size_t row = 0; row < height; ++row)
    std::copy_n(from.pixels.data() + ((y + row) * from.width + x) * from.channels,
                width * from.channels,
                to.pixels.data() + ((v + row) * to.width + u) * to.channels);
}

NVDLAC_IMPL picture middle(const picture& p, std::size_t height, std::size_t width, odd_rest odd) {
  if (p.height == height && p.width == width) return p;
  const auto first = [&](std::size_t side, std::size_t part) {
    const auto rest = side - part;
    return rest / 2 + (odd == odd_rest::to_even && rest % 4 == 3 ? 1 : 0);
  };
  picture to{height, width, p.channels, std::vector<std::uint8_t>(height * width * p.channels)};
  copy_pixels(p, first(p.height, height), first(p.width, width), to, 0, 0, height, width);
  return to;
}

NVDLAC_IMPL picture framed(const picture& p, std::size_t height, std::size_t width) {
  constexpr std::uint8_t grey_beside = 127;
  picture to{height, width, p.channels,
             std::vector<std::uint8_t>(height * width * p.channels, grey_beside)};
  copy_pixels(p, 0, 0, to, (height - p.height) / 2, (width - p.width) / 2, p.height, p.width);
  return to;
}

NVDLAC_IMPL picture scaled_evenly(const picture& p, std::size_t height, std::size_t width,
                                  bool to_cover, const std::string& file,
                                  std::uint64_t most_samples) {
  const bool wider = p.width * height >= p.height * width;
  const auto other = [](std::size_t n, std::size_t by, std::size_t of) {
    return std::max<std::size_t>(1, n * by / of);
  };
  return wider == to_cover ? scaled(p, height, other(p.width, height, p.height), file, most_samples)
                           : scaled(p, other(p.height, width, p.width), width, file, most_samples);
}

NVDLAC_IMPL picture scaled_as(const picture& p, const net::picture_size& s, std::size_t height,
                              std::size_t width, const std::string& file,
                              std::uint64_t most_samples) {
  switch (s.resize) {
    case net::resizing::stretch: return scaled(p, height, width, file, most_samples);
    case net::resizing::fit:
      return framed(scaled_evenly(p, height, width, false, file, most_samples), height, width);
    case net::resizing::fill:
      return middle(scaled_evenly(p, height, width, true, file, most_samples), height, width);
    case net::resizing::shorter: return scaled_evenly(p, height, width, true, file, most_samples);
    case net::resizing::none: break;
  }
  return p;
}

}  // namespace detail

NVDLAC_IMPL picture resized(const picture& p, const net::shape& want, const net::picture_size& s,
                            const std::string& file, std::uint64_t most_samples) {
  const auto of = [](std::int32_t given, std::int32_t otherwise) {
    return static_cast<std::size_t>(given != 0 ? given : otherwise);
  };
  auto q = detail::scaled_as(p, s, of(s.side, want.h), of(s.side, want.w), file, most_samples);
  const auto height = of(s.crop, want.h), width = of(s.crop, want.w);
  const bool larger = q.height >= height && q.width >= width;
  if (s.crop == 0 && !larger) return q;
  if (!larger)
    refuse(file, text("has ", q.width, 'x', q.height, " pixels",
                      s.resize == net::resizing::none ? "" : " when it is resized", ", of which ",
                      width, 'x', height, " cannot be cut"),
           "a smaller --crop, or a larger --resize");
  // A shorter side of N pixels and then the middle are torchvision's Resize(N) and CenterCrop.
  return detail::middle(q, height, width,
                        s.resize == net::resizing::shorter ? detail::odd_rest::to_even
                                                           : detail::odd_rest::at_end);
}

}  // namespace nvdlac::data
