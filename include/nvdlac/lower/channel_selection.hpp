// SPDX-License-Identifier: Apache-2.0
#pragma once
// How 1x1 convolutions select channels of a cube, before any layer is made of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/split.hpp>

namespace nvdlac::lower {

namespace detail {

// Neighbouring channels of the input and how they are read.
struct channel_block {
  std::int32_t first = 0, channels = 1;
  convolution_split split{};
};

// Channels [k0, k0 + kernels) of the result: the sum of what is selected from the blocks, none of
// which has a channel of another. Without blocks: they cannot be selected.
struct selection {
  std::int32_t kernels = 0;
  std::vector<channel_block> blocks{};
};

// Channels low to high as one block, if they fit; none where high < low.
constexpr std::optional<channel_block> block_of(const hw::spec& hw, net::shape in, net::shape out,
                                                hw::precision p, std::int32_t kernels,
                                                std::int32_t low, std::int32_t high) {
  const auto& limits = hw::limits_of(hw.map).convolution;
  const auto atom = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  channel_block b;
  if (high >= low) {
    b.first = low / atom * atom;
    b.channels = high + 1 - b.first;
  }
  if (std::cmp_greater(b.channels, limits.channels)) return std::nullopt;
  const auto split = split_convolution(hw, {b.channels, in.h, in.w}, {kernels, out.h, out.w},
                                       {}, false, p);
  if (!split || split->kernels < kernels) return std::nullopt;
  b.split = *split;
  return b;
}

// The channels that are too far apart for one block, in a row of blocks.
constexpr std::vector<channel_block> blocks_of(const hw::spec& hw, net::shape in, net::shape out,
                                               hw::precision p,
                                               std::span<const std::int32_t> source) {
  std::vector<std::int32_t> channels;
  for (const auto c : source)
    if (c >= 0) channels.push_back(c);
  std::sort(channels.begin(), channels.end());
  std::vector<channel_block> blocks;
  for (std::size_t i = 0; i < channels.size();) {
    std::optional<channel_block> longest;
    for (const auto from = i; i < channels.size(); ++i) {
      const auto b = block_of(hw, in, out, p, static_cast<std::int32_t>(source.size()),
                              channels[from], channels[i]);
      if (!b) break;
      longest = b;
    }
    if (!longest) return {};
    blocks.push_back(*longest);
  }
  return blocks;
}

constexpr selection select_from(const hw::spec& hw, net::shape in, net::shape out, hw::precision p,
                                std::span<const std::int32_t> source, std::int32_t k0) {
  const auto atom = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  // Large blocks take few layers, small ones few weights where the channels lie close together.
  constexpr std::int64_t bytes_worth_a_layer = 32768;
  const auto cost = [](const selection& s) {  // of one kernel
    return s.blocks[0].channels + bytes_worth_a_layer / s.kernels;
  };
  selection best;
  std::span<const std::int32_t> from;
  for (std::int32_t atoms = 8; atoms > 0; atoms /= 2) {
    const std::int32_t kernels = std::min(atom * atoms, out.c - k0);
    from = source.subspan(static_cast<std::size_t>(k0), static_cast<std::size_t>(kernels));
    std::int32_t low = in.c, high = -1;
    for (const auto c : from)
      if (c >= 0) {
        low = std::min(low, c);
        high = std::max(high, c);
      }
    const auto block = block_of(hw, in, out, p, kernels, low, high);
    if (!block) continue;
    selection s{kernels, {*block}};
    if (best.blocks.empty() || cost(s) < cost(best)) best = std::move(s);
  }
  if (!best.blocks.empty()) return best;
  return {static_cast<std::int32_t>(from.size()), blocks_of(hw, in, out, p, from)};
}

}  // namespace detail

// The layers that select channels; nothing if they cannot be selected. `source` as below.
constexpr std::optional<std::uint64_t> layers_to_select(const hw::spec& hw, net::shape in,
                                                        net::shape out, hw::precision p,
                                                        const std::vector<std::int32_t>& source) {
  std::int64_t layers = 0;
  for (std::int32_t k0 = 0; k0 < out.c;) {
    const auto s = detail::select_from(hw, in, out, p, source, k0);
    if (s.blocks.empty()) return std::nullopt;
    for (const auto& b : s.blocks)  // convolutions, each with SDP behind it
      layers += std::int64_t{2} * detail::divided(out.h, b.split.rows) *
                detail::divided(out.w, b.split.columns);
    layers += static_cast<std::int64_t>(s.blocks.size()) - 1;  // sums
    k0 += s.kernels;
  }
  return static_cast<std::uint64_t>(layers);
}

}  // namespace nvdlac::lower
