// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>
#include <string_view>

#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operation.hpp>

// An operator of one's own: each channel smoothed with 1 2 1 across and down.
struct blur {
  static constexpr nvdlac::net::arity inputs{1, 1};
  static constexpr std::string_view onnx = "my.company:Blur";

  // The shape rule.
  constexpr nvdlac::net::shape infer(std::span<const nvdlac::net::shape> in) const { return in[0]; }
};

// In terms of what nvdlac knows: a convolution with a group for each channel. What runs where
// follows from that.
template <>
struct nvdlac::net::expansion<blur> {
  static constexpr convolution run(const blur&, std::span<const shape> in) {
    constexpr std::array taps{1, 2, 1, 2, 4, 2, 1, 2, 1};
    convolution c{.kernels = in[0].c, .window = square{.kernel = 3, .pad = 1}, .groups = in[0].c};
    for (int channel = 0; channel < in[0].c; ++channel)
      for (const int tap : taps) c.weights.push_back(static_cast<float>(tap) / 16);
    return c;
  }
};
