// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/support.hpp>

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
  if (high >= low) b.first = low / atom * atom, b.channels = high + 1 - b.first;
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
  std::vector<std::int32_t> channels(source.begin(), source.end());
  std::erase_if(channels, [](std::int32_t c) { return c < 0; });
  std::ranges::sort(channels);
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
      if (c >= 0) low = std::min(low, c), high = std::max(high, c);
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

// Copies channels into place by 1x1 kernels that each select one: output channel k is input channel
// source[k], or `fill` (of int8 or int16, or the bits of fp16) where that is negative. Exact: the
// sum has one term. Channels too far apart for one cube come from several, which SDP adds.
constexpr void select_channels(const hw::spec& hw, assembly& to, const label& name,
                               const layer::surface& in, const layer::surface& out,
                               const std::vector<std::int32_t>& source, std::int16_t fill = 0) {
  const hw::precision p = in.precision;
  const auto keep = [&](label what, std::uint64_t size, const auto& write) {
    return to.keep(std::move(what), size, write);
  };
  for (std::int32_t k0 = 0; k0 < out.shape.c;) {
    const auto s = detail::select_from(hw, in.shape, out.shape, p, source, k0);
    if (s.blocks.empty())
      throw error(problem{.layer = name,
                          .reason = text("lines of ", in.shape,
                                         " do not fit the convolution buffer")});
    const auto at = layer::part(out, hw.atom(), k0, 0, 0,
                                {s.kernels, out.shape.h, out.shape.w});
    const auto scratch = [&](label what) {
      auto cube = layer::packed(at.shape, hw.atom(), {}, p);
      cube.at = to.reserve(std::move(what), plan::memory::features, cube.size);
      return cube;
    };
    layer::surface sum = at;
    for (std::size_t i = 0; i < s.blocks.size(); ++i) {
      const auto& block = s.blocks[i];
      const auto weights = [&](std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t,
                               std::int32_t, std::uint8_t* bytes_of_run) {
        const std::int32_t channel = source[static_cast<std::size_t>(k0 + k)];
        const std::int32_t one = channel - block.first - c;
        if (channel < 0 || one < 0 || one >= n) return;
        if (p == hw::precision::int8) bytes_of_run[one] = 1;
        else put_two_bytes(hw::one(p), bytes_of_run + 2 * one);
      };
      const auto operands = [&](std::int32_t k) {
        const bool filled = i == 0 && source[static_cast<std::size_t>(k0 + k)] < 0;
        return std::pair(filled ? fill : std::int16_t{0}, hw::one(p));
      };
      const auto from = layer::part(in, hw.atom(), block.first, 0, 0,
                                    {block.channels, in.shape.h, in.shape.w});
      label step(name, "/c", k0);
      if (s.blocks.size() > 1) step = label(step, "/from", block.first);
      const auto found = s.blocks.size() > 1 ? scratch(step) : at;
      convolve(hw, to, step, from, {}, found, {}, block.split, {},
               kernel_values{weights, operands, keep});
      if (i > 0) {
        const auto with = i + 1 < s.blocks.size() ? scratch(label(step, "/sum")) : at;
        to.add(label(step, "/add"), sum_of(sum, found, with));
        sum = with;
      } else {
        sum = found;
      }
    }
    k0 += s.kernels;
  }
}

// Emits the passes of `name` as convolve() does, also where their kernels do not fill whole atoms:
// every pass then takes atoms of a scratch cube, from which its channels are brought together.
template <class Values>
constexpr void convolve_gathered(const hw::spec& hw, assembly& to, const label& name,
                                 const layer::surface& in,
                                 const std::optional<quantised::pixels>& pixels,
                                 const layer::surface& out, net::window window,
                                 const convolution_split& split, const requantisation& q,
                                 const Values& values, const std::optional<pooled>& pool = {}) {
  const bytes atom = hw.atom();
  const hw::precision p = out.precision;
  const std::int32_t count = out.shape.c;
  const auto apart = split.kernels_apart(count, layer::lanes_of(atom, p));
  if (apart == std::min(split.kernels, count))
    return convolve(hw, to, name, in, pixels, out, window, split, q, values, pool);

  const auto passes = detail::divided(count, split.kernels);
  auto scratch = layer::packed({passes * apart, out.shape.h, out.shape.w}, atom, {}, p);
  scratch.at = to.reserve(label(name, "/scratch"), plan::memory::features, scratch.size);
  auto sparse = scratch;
  sparse.shape.c = count;
  convolve(hw, to, name, in, pixels, sparse, window, split, q, values, pool);
  std::vector<std::int32_t> source;
  for (std::int32_t k = 0; k < count; ++k)
    source.push_back(k / split.kernels * apart + k % split.kernels);
  select_channels(hw, to, label(name, "/gather"), scratch, out, source);
}

}  // namespace nvdlac::lower
