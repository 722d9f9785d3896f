// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int8, one surface of
// output channels at a time.
#include <nvdlac/sim/cdma.hpp>
#include <nvdlac/sim/convolution.hpp>
#include <nvdlac/sim/dot.hpp>

namespace nvdlac::sim {

// Buffers that live as long as the device; sized anew by each layer.
class convolution_core {
 public:
  // Spreads the input over padded lines of 16-bit elements.
  void prepare(const convolution& c, const cbuf_contents& cbuf) {
    layer_ = c;
    cbuf_ = &cbuf;
    saturated_ = 0;
    const std::size_t channels = c.channels;
    const auto width = (c.out_width - 1) * std::size_t{c.stride_x} + c.reach_x();
    const auto height = (c.out_height - 1) * std::size_t{c.stride_y} + c.reach_y();
    line_ = width * channels;
    lines_.resize(line_ * height + 8);  // the last segment may look beyond the end
    const bool padded = c.pad_left != 0 || c.pad_top != 0 ||
                        width > c.pad_left + cbuf.width || height > c.pad_top + cbuf.height;
    if (padded) std::ranges::fill(lines_, static_cast<std::int16_t>(c.pad_value));
    const auto x_end = std::min<std::size_t>(width, c.pad_left + cbuf.width);
    const auto y_end = std::min<std::size_t>(height, c.pad_top + cbuf.height);
    for (std::size_t y = c.pad_top; y < y_end && c.pad_left < x_end; ++y) {
      const auto* from = cbuf.data.data() + (y - c.pad_top) * cbuf.width * channels;
      std::copy_n(from, (x_end - c.pad_left) * channels,
                  lines_.data() + y * line_ + c.pad_left * channels);
    }
    choose_segments(width);
  }

  // Surface `s` of `lanes` output channels: out[(y * width + x) * lanes + lane], 32 bits for SDP.
  // Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`: channels of one
  // weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out) {
    const auto& c = layer_;
    const auto first = s * lanes;
    const auto kernels = std::min<std::size_t>(lanes, c.kernels - first);
    unpack_weights(first, kernels, lanes, group, block);
    const auto rounded = align_up(kernels, 4);
    const std::size_t step_x = std::size_t{c.stride_x} * c.channels;
    for (std::size_t y = 0; y < c.out_height; ++y) {
      const auto* line = lines_.data() + y * c.stride_y * line_;
      auto* to = out.data() + y * c.out_width * lanes;
      std::size_t x = 0;
      for (; x + 2 <= c.out_width; x += 2)
        pixels<2>({line + x * step_x, line + (x + 1) * step_x}, to + x * lanes, lanes, rounded);
      for (; x < c.out_width; ++x) pixels<1>({line + x * step_x}, to + x * lanes, lanes, rounded);
    }
  }

  // Results that the last rounding saturated (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return saturated_; }

 private:
  // Runs of elements that lie side by side in the lines as in the kernels.
  void choose_segments(std::size_t width) {
    const auto& c = layer_;
    offsets_.clear();
    runs_per_line_ = c.dilation_x == 1 ? 1 : c.kernel_width;
    run_ = c.dilation_x == 1 ? std::size_t{c.kernel_width} * c.channels : c.channels;
    joined_ = c.dilation_x == 1 && c.dilation_y == 1 && width == c.kernel_width;
    if (joined_) {
      offsets_.push_back(0);
      length_ = align_up(run_ * c.kernel_height, 8);
    } else {
      length_ = align_up(run_, 8);
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t i = 0; i < runs_per_line_; ++i)
          offsets_.push_back(r * c.dilation_y * line_ + i * c.dilation_x * c.channels);
    }
    kernel_step_ = length_ * offsets_.size();
  }

  // Where element `e` of line `r` of a kernel lies in the unpacked weights.
  std::size_t place(std::size_t r, std::size_t e) const {
    if (joined_) return r * run_ * runs_per_line_ + e;
    if (runs_per_line_ == 1) return r * length_ + e;
    return (r * runs_per_line_ + e / run_) * length_ + e % run_;
  }

  void unpack_weights(std::size_t first, std::size_t kernels, std::size_t lanes,
                      std::size_t group, std::size_t block) {
    const auto& c = layer_;
    if (weights_.size() < lanes * kernel_step_) weights_.resize(lanes * kernel_step_);
    std::fill_n(weights_.begin(), align_up(kernels, 4) * kernel_step_, std::int16_t{0});
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto g = (first + k) / group * group;
      const std::size_t in_group = std::min<std::size_t>(group, c.kernels - g);
      const auto* from = reinterpret_cast<const std::int8_t*>(cbuf_->weights.data()) +
                         g * c.kernel_elements();
      auto* to = weights_.data() + k * kernel_step_;
      if (c.y_extension > 1) unpack_extended(from, (first + k) - g, in_group, to);
      else unpack_direct(from, (first + k) - g, in_group, block, to);
    }
  }

  // Group: block of channels, line, column, kernel, channel. An image's columns are channels.
  void unpack_direct(const std::int8_t* from, std::size_t index, std::size_t in_group,
                     std::size_t block, std::int16_t* to) const {
    const auto& c = layer_;
    const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
    const std::size_t columns = c.pixel ? 1 : c.kernel_width;
    for (std::size_t c0 = 0; c0 < channels; c0 += block) {
      const auto n = std::min(block, channels - c0);
      for (std::size_t r = 0; r < c.kernel_height; ++r)
        for (std::size_t column = 0; column < columns; ++column) {
          const auto* run = from + ((r * columns + column) * in_group + index) * n;
          auto* at = to + place(r, column * channels + c0);
          if (n == 8)
            for (std::size_t i = 0; i < 8; ++i) at[i] = run[i];
          else
            for (std::size_t i = 0; i < n; ++i) at[i] = run[i];
        }
      from += n * c.kernel_height * columns * in_group;
    }
  }

  // Group: `y_extension` lines at a time, kernel, line, element.
  void unpack_extended(const std::int8_t* from, std::size_t index, std::size_t in_group,
                       std::int16_t* to) const {
    const auto& c = layer_;
    const std::size_t line = std::size_t{c.channels} * c.kernel_width;
    for (std::size_t r0 = 0; r0 < c.kernel_height; r0 += c.y_extension) {
      const auto rows = std::min<std::size_t>(c.y_extension, c.kernel_height - r0);
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(from + (index * rows + r) * line, line, to + place(r0 + r, 0));
      from += in_group * rows * line;
    }
  }

  template <int Pixels>
  void pixels(const std::int16_t* const (&x)[Pixels], std::int32_t* to, std::size_t lanes,
              std::size_t rounded) {
    dot_operands d{.offsets = offsets_, .length = length_, .kernel_step = kernel_step_};
    std::int64_t sums[Pixels * 4];
    for (std::size_t k = 0; k < rounded; k += 4) {
      d.weights = weights_.data() + k * kernel_step_;
      dot4<Pixels>(x, d, sums);
      for (std::size_t p = 0; p < Pixels; ++p)
        for (std::size_t i = 0; i < 4; ++i) {
          const auto v = cacc_round(sums[p * 4 + i], layer_.truncate);
          const auto clipped = saturate<32>(v);
          saturated_ += v != clipped;
          to[p * lanes + k + i] = static_cast<std::int32_t>(clipped);
        }
    }
    for (std::size_t p = 0; p < Pixels; ++p)
      std::fill(to + p * lanes + rounded, to + (p + 1) * lanes, 0);
  }

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::int16_t> lines_, weights_;
  std::vector<std::size_t> offsets_;
  std::size_t line_ = 0, run_ = 0, length_ = 0, runs_per_line_ = 1, kernel_step_ = 0;
  bool joined_ = false;
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim
