// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::vector<std::uint8_t> pixels_of(const net::float_tensor& t,
                                                const net::preprocessing& how) {
  std::vector<std::uint8_t> pixels(t.values.size());
  const auto channels = static_cast<std::size_t>(t.shape.c), area = pixels.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto mean = how.mean[how.mean.size() == 1 ? 0 : c],
               scale = how.scale[how.scale.size() == 1 ? 0 : c];
    for (std::size_t i = 0; i < area; ++i)
      pixels[i * channels + c] = static_cast<std::uint8_t>(std::clamp(
          std::round(static_cast<double>(t.values[c * area + i]) / scale + mean), 0.0, 255.0));
  }
  return pixels;
}

NVDLAC_IMPL std::vector<quantised::feed> feeds_of(const quantised::graph& g,
                                                  const std::vector<net::float_tensor>& sample,
                                                  const std::optional<net::preprocessing>& how) {
  std::vector<quantised::feed> feeds;
  const auto nodes = net::input_nodes(g);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& node = g[nodes[i]];
    quantised::require_finite(sample.at(i), node.name);
    if (std::get<quantised::input>(node.op).pixels)
      feeds.emplace_back(pixels_of(sample.at(i), *how));
    else
      feeds.push_back(
          quantised::feed_of(
              quantised::numbers_of(sample.at(i), node.scale, node.precision, node.gain)));
  }
  return feeds;
}

}  // namespace nvdlac::quant
