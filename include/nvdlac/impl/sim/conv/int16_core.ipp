// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/int16_core.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void int16_core::prepare(const convolution& c, const cbuf_contents& cbuf) {
  layer_ = c;
  cbuf_ = &cbuf;
  saturated_ = 0;
  const std::size_t channels = c.channels;
  const auto width = in_memory((c.out_width - 1) * std::uint64_t{c.stride_x} + c.reach_x());
  const auto height = in_memory((c.out_height - 1) * std::uint64_t{c.stride_y} + c.reach_y());
  line_ = width * channels;
  lines_.assign(line_ * height + 16, static_cast<std::int16_t>(c.pad_value));
  const auto x_end = std::min<std::size_t>(width, c.pad_left + cbuf.width);
  const auto y_end = std::min<std::size_t>(height, c.pad_top + cbuf.height);
  for (std::size_t y = c.pad_top; y < y_end && c.pad_left < x_end; ++y)
    std::copy_n(cbuf.data16.data() + (y - c.pad_top) * cbuf.width * channels,
                (x_end - c.pad_left) * channels,
                lines_.data() + y * line_ + c.pad_left * channels);
  // Elements that lie side by side in the lines as in the kernels.
  runs_ = c.dilation_x == 1 ? 1 : c.kernel_width;
  run_ = c.dilation_x == 1 ? std::size_t{c.kernel_width} * channels : channels;
  length_ = in_memory(align_up(run_, 16));
  offsets_.clear();
  for (std::size_t r = 0; r < c.kernel_height; ++r)
    for (std::size_t i = 0; i < runs_; ++i)
      offsets_.push_back(r * c.dilation_y * line_ + i * c.dilation_x * channels);
  step_ = length_ * offsets_.size();
}

NVDLAC_IMPL void int16_core::surface(std::size_t s, std::size_t lanes, std::size_t group,
                                     std::size_t block, std::span<std::int32_t> out) {
  const auto& c = layer_;
  const auto first = s * lanes;
  const auto kernels = std::min<std::size_t>(lanes, c.kernels - first);
  weights_.assign(in_memory(align_up(kernels, 4) * step_), 0);
  for (std::size_t k = 0; k < kernels; ++k)
    each_weight_run(c, group, block, first + k,
                    [&, to = weights_.data() + k * step_](std::size_t from, std::size_t r,
                                                          std::size_t column, std::size_t c0,
                                                          std::size_t n) {
      const auto e = column * c.channels + c0;
      std::memcpy(to + (r * runs_ + (runs_ == 1 ? 0 : column)) * length_ +
                      (runs_ == 1 ? e : c0),
                  cbuf_->weights.data() + from * 2, n * 2);
    });
  std::fill(out.begin(), out.end(), 0);
  for (std::size_t y = 0; y < c.out_height; ++y)
    for (std::size_t x = 0; x < c.out_width; ++x) {
      auto* to = out.data() + (y * c.out_width + x) * lanes;
      const auto* from =
          lines_.data() + y * c.stride_y * line_ + x * std::size_t{c.stride_x} * c.channels;
      for (std::size_t k = 0; k < kernels; k += 4)
        pixel(from, k, std::min<std::size_t>(4, kernels - k), to + k);
    }
}

inline void int16_core::pixel(const std::int16_t* x, std::size_t k, std::size_t kernels,
                                   std::int32_t* to) {
  const auto& c = layer_;
  std::int64_t sums[4];
  dot_(x, {offsets_, length_, weights_.data() + k * step_, step_}, sums);
  for (std::size_t i = 0; i < kernels; ++i) {
    const auto v = cacc_round_int16(sums[i], c.truncate), clipped = saturate<32>(v);
    saturated_ += v != clipped;
    to[i] = static_cast<std::int32_t>(clipped);
  }
}

}  // namespace nvdlac::sim
