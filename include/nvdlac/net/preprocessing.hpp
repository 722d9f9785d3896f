// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac::net {

// The channels of a network's input; grey: colours are weighed 299 : 587 : 114.
enum class channel_order : std::uint8_t { rgb, bgr, grey };

constexpr std::string_view to_string(channel_order order) {
  return order == channel_order::rgb ? "rgb" : order == channel_order::bgr ? "bgr" : "grey";
}

// From pixels to what the network was trained on: value[c] = (pixel[c] - mean[c]) * scale[c].
// `mean` and `scale` hold one number for all channels or one for each, in the order in which the
// network takes the channels. (x / 255 - m) / s is mean 255 m and scale 1 / (255 s).
struct preprocessing {
  std::vector<double> mean{0}, scale{1};
  channel_order order = channel_order::rgb;

  bool operator==(const preprocessing&) const = default;
};

}  // namespace nvdlac::net
