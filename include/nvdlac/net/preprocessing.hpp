// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>

namespace nvdlac::net {

// The channels of a network's input; grey: colours are weighed 299 : 587 : 114.
enum class channel_order : std::uint8_t { rgb, bgr, grey };

constexpr std::string_view to_string(channel_order order) {
  return order == channel_order::rgb ? "rgb" : order == channel_order::bgr ? "bgr" : "grey";
}

// How a picture of another size becomes one of the network's. `stretch` changes its proportions;
// `fit` shows all of it, with grey (127) beside it; `fill` and `shorter` cut what is too much from
// both ends alike, `shorter` of a picture whose shorter side has a given length.
enum class resizing : std::uint8_t { none, stretch, fit, fill, shorter };

constexpr std::string_view to_string(resizing how) {
  constexpr std::string_view names[]{"none", "stretch", "fit", "fill", "short"};
  return names[static_cast<std::size_t>(how)];
}

struct picture_size {
  resizing resize = resizing::none;
  std::int32_t side = 0;  // pixels of both sides, or of the shorter one; 0: those of the network
  std::int32_t crop = 0;  // then so many pixels of both, from the middle; 0: those of the network

  constexpr bool given() const { return resize != resizing::none || crop != 0; }
  constexpr bool operator==(const picture_size&) const = default;
};

// "short:256"
inline std::string resize_text(const picture_size& s) {
  return std::string(to_string(s.resize)) + (s.side == 0 ? "" : ":" + std::to_string(s.side));
}

// From pixels to what the network was trained on: value[c] = (pixel[c] - mean[c]) * scale[c].
// `mean` and `scale` hold one number for all channels or one for each, in the order in which the
// network takes the channels. (x / 255 - m) / s is mean 255 m and scale 1 / (255 s).
struct preprocessing {
  std::vector<double> mean{0}, scale{1};
  channel_order order = channel_order::rgb;
  picture_size size{};  // before that

  bool operator==(const preprocessing&) const = default;
};

// "mean 0, scale 0.00390625, order rgb, resize short:256, crop 224"
inline std::string describe(const preprocessing& p) {
  std::string s = "mean";
  for (const double v : p.mean) s += text(' ', v);
  s += ", scale";
  for (const double v : p.scale) s += text(' ', v);
  s += text(", order ", to_string(p.order));
  if (p.size.resize != resizing::none) s += ", resize " + resize_text(p.size);
  if (p.size.crop != 0) s += text(", crop ", p.size.crop);
  return s;
}

}  // namespace nvdlac::net
