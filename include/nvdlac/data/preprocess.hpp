// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/preprocessing.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::data {

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

// The pixels in the order of the network's channels. A picture of another size is an error: what
// resizes it has done so before (resize.hpp). `file` is for messages.
inline picture arrange(const picture& p, const net::shape& want, channel_order order,
                       const std::string& file) {
  if (!std::cmp_equal(p.height, want.h) || !std::cmp_equal(p.width, want.w))
    refuse(file, text("is ", p.width, "x", p.height, " pixels, the network takes ", want.w, "x",
                      want.h),
           "resize the picture, or let nvdlac: --resize, in C++ net::preprocessing::size");
  const bool to_grey = order == channel_order::grey && p.channels == 3;
  const std::size_t channels = to_grey ? 1 : p.channels;
  if (!std::cmp_equal(channels, want.c))
    refuse(file, text("has ", p.channels, " channels, the network takes ", want.c),
           want.c == 1 ? "channel order grey converts colours" : "");
  picture result{p.height, p.width, channels, {}};
  result.pixels.reserve(want.size());
  for (std::size_t at = 0; at < p.pixels.size(); at += p.channels) {
    const std::uint8_t* pixel = p.pixels.data() + at;
    if (to_grey) result.pixels.push_back(detail::grey(pixel));
    else result.pixels.insert(result.pixels.end(), pixel, pixel + channels);
    if (order == channel_order::bgr && channels == 3)
      std::reverse(result.pixels.end() - 3, result.pixels.end());
  }
  return result;
}

// The values for the network, channel by channel, of a picture that is arranged; `how` must have
// passed `check`.
inline std::vector<float> normalise(const picture& p, const preprocessing& how) {
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

inline std::vector<float> preprocess(const picture& p, const net::shape& want,
                                     const preprocessing& how, const std::string& file) {
  return normalise(arrange(p, want, how.order, file), how);
}

// How an array file of `dims` is divided into inputs of a network.
struct division {
  std::size_t count = 0;  // how many inputs
  bool interleaved = false;  // hwc instead of chw
  bool as_in_file = false;   // as the network's file has it, whatever that is
  bool operator==(const division&) const = default;
};

// Takes (n, c, h, w), (n, h, w, c), (n, h, w) for one channel and (n, c*h*w), each also without n.
// Where the network's file tells its shape, arrays of that shape or of none are in its order,
// unless the user names another.
inline division divide(const std::vector<std::size_t>& dims, const net::shape& want,
                       array_layout layout, const std::string& file,
                       const net::file_tensor* in_file = nullptr) {
  using list = std::vector<std::size_t>;
  const auto fits = [&](const list& form) {
    if (dims == form) return true;
    return dims.size() == form.size() + 1 && list(dims.begin() + 1, dims.end()) == form;
  };
  const auto c = static_cast<std::size_t>(want.c), h = static_cast<std::size_t>(want.h),
             w = static_cast<std::size_t>(want.w);
  std::size_t n = 1;  // the product is that of a file that was read, so it does not overflow
  for (const auto d : dims) n *= d;
  n /= want.size();
  if (in_file != nullptr && layout == array_layout::automatic) {
    const auto shape = in_file->of_one_picture();
    if (fits({shape.begin(), shape.end()}) || fits({c * h * w})) return {n, false, true};
  }
  const bool planar = fits({c, h, w}) || fits({c * h * w}) || (c == 1 && fits({h, w}));
  const bool interleaved = fits({h, w, c});
  const bool both = planar && interleaved && c != 1;  // with one channel they are the same
  if (both && layout == array_layout::automatic)
    refuse(file, "can be read in the order c, h, w and in the order h, w, c", "name the layout");
  const bool as_hwc = layout == array_layout::hwc || (layout != array_layout::chw && !planar);
  if (!(as_hwc ? interleaved || (planar && dims.size() <= 2) : planar))
    refuse(file, "has dimensions " + to_string(dims) + text(", the network takes ", want));
  return {n, as_hwc && c != 1};
}

// A copy of one input of (h, w, c) as (c, h, w), or the other way round.
template <class T>
std::vector<T> to_chw(const T* from, const net::shape& shape) {
  std::vector<T> to(shape.size());
  const auto channels = static_cast<std::size_t>(shape.c), plane = to.size() / channels;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i % channels * plane + i / channels] = from[i];
  return to;
}

template <class T>
std::vector<T> to_hwc(const T* from, const net::shape& shape) {
  std::vector<T> to(shape.size());
  const auto channels = static_cast<std::size_t>(shape.c), plane = to.size() / channels;
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = from[i % channels * plane + i / channels];
  return to;
}

}  // namespace nvdlac::data
