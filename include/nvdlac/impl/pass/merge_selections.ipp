// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/pass/compose_convolutions.hpp>
#include <nvdlac/pass/merge_selections.hpp>

namespace nvdlac::pass {

namespace detail {

// Whether reading these channels of the source takes less than reading all of it.
NVDLAC_IMPL bool is_cheaper_alone(const net::convolution& c, net::shape in,
                                  const std::vector<std::int32_t>& channels, net::shape source) {
  constexpr std::int32_t most_of_pixels = 4;
  const auto atoms = [](net::shape s) { return (s.c + hw::least_lanes - 1) / hw::least_lanes; };
  const bool is_run =
      std::ranges::adjacent_find(channels, [](auto a, auto b) { return b != a + 1; }) ==
      channels.end();
  // A part of the cube from an atom on is read where it stands.
  if (is_run && channels[0] % hw::least_lanes == 0 && in.c < source.c &&
      source.c > most_of_pixels)
    return true;
  if (atoms(source) <= atoms(in)) return false;
  auto alone = convolution_work::of({.kernels = in.c}, source);  // which selects
  alone += convolution_work::of(c, in);
  const net::convolution form{.kernels = c.kernels, .window = c.window, .groups = c.groups};
  return !convolution_work::of(form, source).is_at_most(alone);
}

}  // namespace detail

NVDLAC_IMPL selected_channels selected_channels::all_of(std::size_t source, std::int32_t count) {
  selected_channels all{source, std::vector<std::int32_t>(static_cast<std::size_t>(count))};
  std::iota(all.channels.begin(), all.channels.end(), 0);
  return all;
}

NVDLAC_IMPL std::optional<selected_channels> selected_channels_of(
    const net::move& m, net::shape out, const std::vector<net::shape>& in) {
  const auto taken = strided_channels_of(m, out);
  if (!taken || taken->stride_h != 1 || taken->stride_w != 1 ||
      in[taken->source].h != out.h || in[taken->source].w != out.w)
    return std::nullopt;
  selected_channels selected{.source = taken->source};
  for (const auto& o : taken->origins) {
    if (o.y != 0 || o.x != 0) return std::nullopt;
    selected.channels.push_back(o.channel);
  }
  return selected;
}

NVDLAC_IMPL std::optional<net::convolution> over_selection(
    const net::convolution& c, net::shape in, const std::vector<std::int32_t>& channels,
    net::shape source) {
  if (source.c % c.groups != 0 || detail::is_cheaper_alone(c, in, channels, source))
    return std::nullopt;
  const std::int32_t before = in.c / c.groups, after = source.c / c.groups;  // of each group
  for (std::int32_t i = 0; i < in.c; ++i)
    if (channels[static_cast<std::size_t>(i)] / after != i / before) return std::nullopt;

  net::convolution merged{.kernels = c.kernels, .window = c.window, .groups = c.groups,
                          .bias = c.bias, .relu = c.relu};
  const auto size = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  const std::size_t taps = size(c.window.kernel_h) * size(c.window.kernel_w);
  const std::size_t of_kernel = size(after) * taps;
  std::vector<double> kernel(of_kernel);
  merged.weights.reserve(size(c.kernels) * of_kernel);
  auto from = c.weights.begin();
  for (std::int32_t k = 0; k < c.kernels; ++k) {
    const std::int32_t group = k / (c.kernels / c.groups);
    std::ranges::fill(kernel, 0.0);
    for (std::int32_t i = 0; i < before; ++i) {
      const std::int32_t channel = channels[size(group * before + i)] - group * after;
      for (std::size_t t = 0; t < taps; ++t) kernel[size(channel) * taps + t] += double{*from++};
    }
    for (const double w : kernel) merged.weights.push_back(static_cast<float>(w));
  }
  return merged;
}

}  // namespace nvdlac::pass
