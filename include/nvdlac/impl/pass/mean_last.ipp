// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/pass/mean_last.hpp>
#include <nvdlac/pass/pool_levels.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL std::vector<net::convolution> means_of_features(const net::convolution& features,
                                                            net::shape in) {
  // A step of the MACs takes so many kernels at least, of which the mean alone has as many.
  if (features.window != net::window{} || features.groups != 1 ||
      features.kernels > hw::least_lanes || in.c <= features.kernels)
    return {};
  const auto size = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  const std::size_t kernels = size(features.kernels), channels = size(in.c);
  if (features.weights.size() != kernels * channels) return {};
  const auto levels = pool_in_levels(net::pool_kind::average, in).levels;
  const auto& first = levels.front().window;
  const std::size_t first_taps = size(first.kernel_h) * size(first.kernel_w);
  // The mean alone has the same few weights for all channels.
  constexpr std::size_t most_weights = 4;  // a part of the elements
  if (levels.size() < 2 || most_weights * features.weights.size() * first_taps > in.size())
    return {};

  std::vector<net::convolution> steps;
  double left = 1.0 / (static_cast<double>(in.h) * in.w);  // of what the sums are multiplied by
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& w = levels[i].window;
    const std::size_t taps = size(w.kernel_h) * size(w.kernel_w);
    const bool is_last = i + 1 == levels.size();
    const double factor = is_last ? left : 1.0 / static_cast<double>(taps);
    left /= factor;
    net::convolution step{.kernels = features.kernels, .window = w};
    const std::size_t from = i == 0 ? channels : kernels;
    for (std::size_t k = 0; k < kernels; ++k)
      for (std::size_t c = 0; c < from; ++c) {
        const double weight = i == 0 ? features.weights[k * channels + c] : k == c ? 1.0 : 0.0;
        step.weights.insert(step.weights.end(), taps, static_cast<float>(weight * factor));
      }
    if (is_last) {
      step.bias = features.bias;
      step.relu = features.relu;
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace nvdlac::pass
