// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/core.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void convolution_core::prepare(const convolution& c, const cbuf_contents& cbuf) {
  cbuf_ = &cbuf;
  saturated_ = 0;
  const auto width = in_memory((c.out_width - 1) * std::uint64_t{c.stride_x} + c.reach_x());
  const auto height = in_memory((c.out_height - 1) * std::uint64_t{c.stride_y} + c.reach_y());
  const auto line = width * c.channels;  // elements
  geometry_ = {.c = c, .line = line * set_->element_bytes, .element_bytes = set_->element_bytes,
               .rows = set_->rows && c.stride_x == 1 && c.dilation_x == 1};
  lines_.resize(geometry_.line * height + 16);  // the last step may look beyond
  if (unsigned_) fill<std::uint8_t>(line, width, height);
  else fill<std::int16_t>(line, width, height);
  stride_ = std::size_t{c.stride_x} * c.channels * set_->element_bytes;
  line_stride_ = geometry_.line * c.stride_y;
  columns_ = c.out_width;
  rows_ = c.out_height;
  if (columns_ * stride_ == line_stride_) columns_ *= std::exchange(rows_, 1);
  tiles_per_row_ = in_memory(ceil_div(columns_, set_->pixels));
}

NVDLAC_IMPL void convolution_core::begin_surface(std::size_t s, std::size_t lanes,
                                                 std::size_t group, std::size_t block) {
  lanes_ = lanes;
  geometry_.group = group;
  geometry_.block = block;
  kernels_.resize(lanes / dot_kernels);
  bias_.resize(kernels_.size());
  strip_ = std::max<std::size_t>(1, strip_results / (lanes * set_->pixels));
  steps_ = 0;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const auto first = s * lanes + i * dot_kernels;
    if (unsigned_) kernels_[i].pack<std::int8_t>(geometry_, cbuf_->weights, first);
    else kernels_[i].pack<std::int16_t>(geometry_, cbuf_->weights, first);
    steps_ += kernels_[i].weights.size();
  }
  if (at_input_.size() < steps_) at_input_.resize(steps_);
  narrow_ = geometry_.c.kernel_elements() <= longest_narrow_dot;
  for (std::size_t i = 0; narrow_ && i < kernels_.size(); ++i) {
    bias_[i] = excess({kernels_[i].offsets, kernels_[i].weights.data(), no_bias.data()});
    for (auto& b : bias_[i]) b = static_cast<std::int32_t>(-static_cast<std::uint32_t>(b));
  }
}

NVDLAC_IMPL void convolution_core::compute_all(std::int32_t* out) {
  const auto run = [&](std::size_t begin, std::size_t end) {
    compute(begin, end, out + first_pixel(begin) * lanes_);
  };
  if (shared()) team_.share(tiles(), run);
  else run(0, tiles());
}

NVDLAC_IMPL void convolution_core::compute(std::size_t begin, std::size_t end, std::int32_t* out) {
  for (auto tile = begin; tile < end; tile += strip_) {
    const auto last = std::min(tile + strip_, end);
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const output to{out + i * dot_kernels, lanes_, first_pixel(begin)};
      if (narrow_) narrow_tiles(i, tile, last, to);
      else wide_tiles(kernels_[i], tile, last, to);
    }
  }
}

template <class Element>
void convolution_core::fill(std::size_t line, std::size_t width, std::size_t height) {
  constexpr int offset = sizeof(Element) == 1 ? 128 : 0;
  const auto& c = geometry_.c;
  auto* lines = reinterpret_cast<Element*>(lines_.data());
  const std::size_t x_end = std::min<std::size_t>(width, c.pad_left + cbuf_->width);
  const std::size_t y_end = std::min<std::size_t>(height, c.pad_top + cbuf_->height);
  const auto pad = static_cast<Element>(c.pad_value + offset);
  for (std::size_t y = 0; y < height; ++y) {
    auto* const to = lines + y * line;
    if (y < c.pad_top || y >= y_end || c.pad_left >= x_end) {
      std::fill_n(to, line, pad);
      continue;
    }
    std::fill_n(to, c.pad_left * c.channels, pad);
    set_->spread(cbuf_->data.data() + (y - c.pad_top) * cbuf_->width * c.channels,
                 (x_end - c.pad_left) * c.channels, to + c.pad_left * c.channels);
    std::fill_n(to + x_end * c.channels, (width - x_end) * c.channels, pad);
  }
}

inline void convolution_core::dot(dot_input input, const std::uint8_t* x, std::size_t pixels,
                                       const dot_operands& d, std::int32_t* to,
                                       std::size_t lanes) const {
  const auto& functions = dot_of(input);
  if (auto* const run = functions[pixels - 1]) return run(x, stride_, d, to, lanes);
  const auto half = pixels / 2;
  functions[half - 1](x, stride_, d, to, lanes);
  functions[pixels - half - 1](x + half * stride_, stride_, d, to + half * lanes, lanes);
}

NVDLAC_IMPL std::array<std::int32_t, dot_kernels> convolution_core::excess(
    const dot_operands& d) const {
  static constexpr std::array<std::uint8_t, 4> input{128, 128, 128, 128};
  std::array<std::int32_t, dot_kernels> result{};
  if (!unsigned_) return result;
  const auto offsets = std::span(at_input_).first(d.offsets.size());
  const dot_operands ones{offsets, d.weights, no_bias.data()};
  dot_of(dot_input::common)[0](input.data(), 0, ones, result.data(), 0);
  return result;
}

NVDLAC_IMPL void convolution_core::narrow_tiles(std::size_t i, std::size_t begin, std::size_t end,
                                                output out) const {
  const auto& k = kernels_[i];
  const dot_operands d{k.offsets, k.weights.data(), bias_[i].data(), geometry_.c.truncate,
                       k.neighbours.data()};
  each_tile(begin, end, out, [&](const std::uint8_t* x, std::size_t pixels, std::int32_t* to) {
    dot(k.input, x, pixels, d, to, out.lanes);
  });
}

NVDLAC_IMPL void convolution_core::wide_tiles(const packed_kernels& k, std::size_t begin,
                                              std::size_t end, output out) {
  constexpr std::size_t most = longest_biased_dot / 4;
  std::uint32_t saturated = 0;
  each_tile(begin, end, out, [&](const std::uint8_t* x, std::size_t pixels, std::int32_t* to) {
    std::array<std::int64_t, dot_pixels * dot_kernels> sums{};
    std::array<std::int32_t, dot_pixels * dot_kernels> part;
    for (std::size_t i = 0; i < k.offsets.size(); i += most) {
      const auto n = std::min(most, k.offsets.size() - i);
      dot_operands d{std::span(k.offsets).subspan(i, n), k.weights.data() + i, no_bias.data()};
      if (k.input == dot_input::row) d.neighbours = k.neighbours.data() + i;
      const auto bias = excess(d);
      dot(k.input, x, pixels, d, part.data(), dot_kernels);
      for (std::size_t j = 0; j < pixels * dot_kernels; ++j)
        sums[j] += std::int64_t{part[j]} - bias[j % dot_kernels];
    }
    for (std::size_t j = 0; j < pixels * dot_kernels; ++j) {
      const auto v = cacc_round(sums[j], geometry_.c.truncate), clipped = saturate<32>(v);
      saturated += v != clipped;
      to[j / dot_kernels * out.lanes + j % dot_kernels] = static_cast<std::int32_t>(clipped);
    }
  });
  std::atomic_ref(saturated_) += saturated;
}

}  // namespace nvdlac::sim
