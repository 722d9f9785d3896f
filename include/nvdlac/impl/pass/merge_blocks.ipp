// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/pass/merge_blocks.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL std::optional<strided_channels> strided_channels_of(const net::move& m,
                                                                net::shape out) {
  if (m.boxes.size() == 0) return std::nullopt;
  strided_channels all{.source = static_cast<std::size_t>(m.boxes.begin()->input)};
  std::vector<net::position> from(out.size());
  for (const net::box& b : m.boxes) {
    if (b.input == net::box::filled || !std::cmp_equal(b.input, all.source)) return std::nullopt;
    net::for_each_element(b, [&](net::position to, net::position source) {
      from[out.at(to.c, to.y, to.x)] = source;
    });
  }
  if (out.h > 1) all.stride_h = from[out.at(0, 1, 0)].y - from[0].y;
  if (out.w > 1) all.stride_w = from[out.at(0, 0, 1)].x - from[0].x;
  for (std::int32_t c = 0; c < out.c; ++c) {
    const net::position first = from[out.at(c, 0, 0)];
    for (std::int32_t y = 0; y < out.h; ++y)
      for (std::int32_t x = 0; x < out.w; ++x)
        if (from[out.at(c, y, x)] != first + net::position{0, y * all.stride_h, x * all.stride_w})
          return std::nullopt;
    all.origins.push_back({first.c, first.y, first.x});
  }
  return all;
}

NVDLAC_IMPL std::optional<net::convolution> over_blocks(const net::convolution& c, net::shape in,
                                                        const strided_channels& blocks,
                                                        net::shape source) {
  const auto& [of, h, w, origins] = blocks;
  const net::window& window = c.window;
  const auto& most = hw::any_map.convolution;
  if (c.groups != 1 || h < 1 || w < 1 || (h == 1 && w == 1) || window.dilation_h != 1 ||
      window.dilation_w != 1 || window.stride_h * h > most.stride ||
      window.stride_w * w > most.stride || window.kernel_h * h > most.kernel ||
      window.kernel_w * w > most.kernel)
    return std::nullopt;
  // All elements of the blocks, each once; the last ones may hang over the source's end.
  const net::shape block{source.c, h, w};
  if (origins.size() != block.size() || in.h * h < source.h || in.w * w < source.w)
    return std::nullopt;
  std::vector<bool> seen(block.size(), false);
  for (const auto& o : origins) {
    if (o.y < 0 || o.x < 0 || o.y >= h || o.x >= w) return std::nullopt;
    if (const auto at = block.at(o.channel, o.y, o.x); seen[at]) return std::nullopt;
    else seen[at] = true;
  }
  net::convolution merged{.kernels = c.kernels,
                          .window = {.kernel_h = window.kernel_h * h,
                                     .kernel_w = window.kernel_w * w,
                                     .stride_h = window.stride_h * h,
                                     .stride_w = window.stride_w * w,
                                     .pad_top = window.pad_top * h,
                                     .pad_left = window.pad_left * w,
                                     .pad_bottom = window.pad_bottom * h + in.h * h - source.h,
                                     .pad_right = window.pad_right * w + in.w * w - source.w},
                          .bias = c.bias,
                          .relu = c.relu};
  const net::shape kernel{source.c, merged.window.kernel_h, merged.window.kernel_w};
  merged.weights.assign(static_cast<std::size_t>(c.kernels) * kernel.size(), 0.0F);
  auto from = c.weights.begin();
  for (std::size_t k = 0; std::cmp_less(k, c.kernels); ++k)
    for (const auto& o : origins)
      for (std::int32_t y = 0; y < window.kernel_h; ++y)
        for (std::int32_t x = 0; x < window.kernel_w; ++x)
          merged.weights[k * kernel.size() + kernel.at(o.channel, y * h + o.y, x * w + o.x)] =
              *from++;
  return merged;
}

}  // namespace nvdlac::pass
