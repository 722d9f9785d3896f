// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/net/preprocessing.hpp>

namespace nvdlac::data {

// What the network takes: one picture of so many channels, rows and columns.
struct input_shape {
  std::size_t channels = 1;
  std::size_t height = 1;
  std::size_t width = 1;

  std::size_t size() const { return channels * height * width; }
  bool operator==(const input_shape&) const = default;
};

inline std::string to_string(const input_shape& s) {
  return text(s.channels, " channel", s.channels == 1 ? "" : "s", " of ", s.height, "x", s.width);
}

using net::channel_order;
using net::preprocessing;

// Collects what is wrong with the numbers for a network of `channels` channels.
inline void check(const preprocessing& how, std::size_t channels, diagnostics& found) {
  const auto look = [&](const std::vector<double>& v, const std::string& name, bool zero_allowed) {
    if (v.size() != 1 && v.size() != channels)
      found.add({.reason = text("input ", name, " has ", v.size(), " numbers, the network ",
                                channels, " channels"),
                 .remedy = "give one number or one per channel"});
    for (const double x : v)
      if (!std::isfinite(x) || (x == 0 && !zero_allowed))
        found.add({.reason = text("input ", name, " is ", x)});
  };
  look(how.mean, "mean", true);
  look(how.scale, "scale", false);
}

namespace detail {

inline std::uint8_t grey(const std::uint8_t* rgb) {
  return static_cast<std::uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}

}  // namespace detail

// The values for the network, channel by channel. A picture of another size is an error: nothing
// is resized. `file` is for messages; `how` must have passed `check`.
inline std::vector<float> preprocess(const picture& p, const input_shape& want,
                                     const preprocessing& how, const std::string& file) {
  if (p.height != want.height || p.width != want.width)
    refuse(file, text("is ", p.width, "x", p.height, " pixels, the network takes ", want.width,
                      "x", want.height),
           "resize the picture");
  const bool to_grey = how.order == channel_order::grey && p.channels == 3;
  if ((to_grey ? 1 : p.channels) != want.channels)
    refuse(file, text("has ", p.channels, " channels, the network takes ", want.channels),
           want.channels == 1 ? "channel order grey converts colours" : "");
  std::vector<float> values(want.size());
  const std::size_t plane = want.height * want.width;
  for (std::size_t c = 0; c < want.channels; ++c) {
    const double mean = how.mean[how.mean.size() == 1 ? 0 : c];
    const double scale = how.scale[how.scale.size() == 1 ? 0 : c];
    const std::size_t from =
        how.order == channel_order::bgr && want.channels == 3 ? 2 - c : c;
    for (std::size_t i = 0; i < plane; ++i) {
      const std::uint8_t* pixel = p.pixels.data() + i * p.channels;
      const std::uint8_t x = to_grey ? detail::grey(pixel) : pixel[from];
      values[c * plane + i] = static_cast<float>((x - mean) * scale);
    }
  }
  return values;
}

}  // namespace nvdlac::data
