// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/preprocess.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

NVDLAC_IMPL void check(const preprocessing& how, std::size_t channels, diagnostics& found) {
  const auto look = [&](const std::vector<double>& v, const std::string& name, bool zero_allowed) {
    if (v.size() != 1 && v.size() != channels)
      found.add({.reason = text("input ", name, " has ", count_of(v.size(), "number"),
                                ", the network ", count_of(channels, "channel")),
                 .remedy = "give one number or one per channel"});
    for (const double x : v)
      if (!std::isfinite(x) || (x == 0 && !zero_allowed))
        found.add({.reason = text("input ", name, " is ", x)});
  };
  look(how.mean, "mean", true);
  look(how.scale, "scale", false);
}

namespace detail {

NVDLAC_IMPL std::uint8_t grey(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}

}  // namespace detail

NVDLAC_IMPL picture arrange(const picture& p, const net::shape& want, channel_order order,
                            const std::string& file) {
  if (!std::cmp_equal(p.height, want.h) || !std::cmp_equal(p.width, want.w))
    refuse(file, text("is ", p.width, "x", p.height, " pixels, the network takes ", want.w, "x",
                      want.h),
           "resize the picture, or let nvdlac: --resize, in C++ net::preprocessing::size");
  const bool to_grey = p.channels == 3 && (order == channel_order::grey || want.c == 1);
  const bool to_colour = p.channels == 1 && want.c == 3;
  const std::size_t channels = to_grey ? 1 : to_colour ? 3 : p.channels;
  if (!std::cmp_equal(channels, want.c))
    refuse(file, text("has ", p.channels, " channels, the network takes ", want.c));
  picture result{p.height, p.width, channels, {}};
  result.pixels.reserve(want.size());
  for (std::size_t at = 0; at < p.pixels.size(); at += p.channels) {
    const std::uint8_t* pixel = p.pixels.data() + at;
    if (to_grey) result.pixels.push_back(detail::grey(pixel));
    else if (to_colour) result.pixels.insert(result.pixels.end(), 3, *pixel);
    else result.pixels.insert(result.pixels.end(), pixel, pixel + channels);
    if (order == channel_order::bgr && channels == 3)
      std::reverse(result.pixels.end() - 3, result.pixels.end());
  }
  return result;
}

NVDLAC_IMPL std::vector<float> normalise(const picture& p, const preprocessing& how) {
  std::vector<float> values(p.pixels.size());
  const std::size_t plane = p.height * p.width;
  for (std::size_t c = 0; c < p.channels; ++c) {
    const double mean = how.mean[how.mean.size() == 1 ? 0 : c];
    const double scale = how.scale[how.scale.size() == 1 ? 0 : c];
    for (std::size_t i = 0; i < plane; ++i)
      values[c * plane + i] = static_cast<float>((p.pixels[i * p.channels + c] - mean) * scale);
  }
  return values;
}

NVDLAC_IMPL std::vector<float> preprocess(const picture& p, const net::shape& want,
                                          const preprocessing& how, const std::string& file) {
  return normalise(arrange(p, want, how.order, file), how);
}

}  // namespace nvdlac::data
