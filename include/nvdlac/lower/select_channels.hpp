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
#include <nvdlac/lower/channel_selection.hpp>
#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/support.hpp>

namespace nvdlac::lower {

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
      convolve(hw, to, step, from, {}, found, one_phase(from.shape, found.shape, {}),
               block.split, {},
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
                                 const layer::surface& out, const line_phases& phases,
                                 const convolution_split& split, const requantisation& q,
                                 const Values& values, const std::optional<pooled>& pool = {}) {
  const bytes atom = hw.atom();
  const hw::precision p = out.precision;
  const std::int32_t count = out.shape.c;
  const auto apart = split.kernels_apart(count, layer::lanes_of(atom, p));
  if (apart == std::min(split.kernels, count))
    return convolve(hw, to, name, in, pixels, out, phases, split, q, values, pool);

  const auto passes = detail::divided(count, split.kernels);
  auto scratch = layer::packed({passes * apart, out.shape.h, out.shape.w}, atom, {}, p);
  scratch.at = to.reserve(label(name, "/scratch"), plan::memory::features, scratch.size);
  auto sparse = scratch;
  sparse.shape.c = count;
  convolve(hw, to, name, in, pixels, sparse, phases, split, q, values, pool);
  std::vector<std::int32_t> source;
  for (std::int32_t k = 0; k < count; ++k)
    source.push_back(k / split.kernels * apart + k % split.kernels);
  select_channels(hw, to, label(name, "/gather"), scratch, out, source);
}

}  // namespace nvdlac::lower
