// SPDX-License-Identifier: Apache-2.0
#pragma once
// The input of an fp16 convolution as the passes of the MACs take it: for each block of channels
// the elements that are not zero.
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/conv/contents.hpp>
#include <nvdlac/sim/kernels/fp16_lanes.hpp>

namespace nvdlac::sim {

// What the kernels of one pass meet at one pixel.
struct fp16_run {
  std::span<const fp16_datum> data{};
  std::uint16_t nan = 0;  // the first one's bits
};

// One step of CSC: a block of the channels under one element of the kernel. An image's block is a
// part of a line of the kernel, or some lines (its post-extension in y).
struct fp16_step {
  std::size_t first = 0, size = 0;  // the weights, in the order of the steps
  std::size_t block = 0;
  std::int64_t line = 0, column = 0;
};

class fp16_input {
 public:
  // `block`: channels of a block.
  void prepare(const convolution& c, const cbuf_contents& cbuf, std::size_t block) {
    layer_ = c;
    cbuf_ = &cbuf;
    block_ = block;
    begin_ = end_ = 0;
    const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
    groups_ = c.y_extension > 1 ? ceil_div(c.kernel_height, c.y_extension) : 0;
    columns_ = c.pixel ? c.out_width : cbuf.width;
    blocks_ = groups_ != 0 ? 1 : ceil_div(channels, block);
    choose_steps(channels);
    padding_.clear(), padding_nan_ = 0;
    const auto pad = static_cast<std::uint16_t>(c.pad_value);
    const auto longest = groups_ != 0 ? channels * c.y_extension : std::min(block, channels);
    for (std::size_t i = 0; i < longest; ++i) append(padding_, padding_nan_, pad, i);
    has_nan_ = padding_nan_ != 0 ||
               std::ranges::any_of(cbuf.data16, [](std::int16_t v) {
                 return fp16{static_cast<std::uint16_t>(v)}.is_nan();
               });
  }

  std::span<const fp16_step> steps() const { return steps_; }
  bool has_nan() const { return has_nan_; }

  // So many lines of the output can be taken at once without much memory.
  std::size_t lines_at_once() const {
    const auto per_line = columns_ * steps_.back().size * blocks_;  // about
    return std::max<std::size_t>(1, (std::size_t{1} << 21) / std::max<std::size_t>(1, per_line));
  }

  // Makes the runs of output lines [begin, end) available.
  void need(std::size_t begin, std::size_t end) {
    const auto& c = layer_;
    std::int64_t first = 0, last = 0;
    if (groups_ != 0) {
      first = static_cast<std::int64_t>(begin * groups_);
      last = static_cast<std::int64_t>(end * groups_);
    } else {
      const auto stride = std::int64_t{c.stride_y}, height = std::int64_t{cbuf_->height};
      const auto reach = static_cast<std::int64_t>(c.reach_y());
      const auto y0 = static_cast<std::int64_t>(begin), y1 = static_cast<std::int64_t>(end);
      first = std::clamp<std::int64_t>(y0 * stride - c.pad_top, 0, height);
      last = std::clamp<std::int64_t>((y1 - 1) * stride - c.pad_top + reach, first, height);
    }
    if (first == begin_ && last == end_) return;
    begin_ = first, end_ = last;
    data_.clear(), starts_.clear();
    for (auto line = first; line < last; ++line)
      if (groups_ != 0) add_extended_line(line);
      else if (c.pixel) add_image_line(line);
      else add_line(line);
    starts_.push_back({data_.size(), 0});
  }

  // The run of a step at pixel x, y, one of the needed lines.
  fp16_run run(const fp16_step& s, std::size_t x, std::size_t y) const {
    const auto& c = layer_;
    auto line = static_cast<std::int64_t>(y), column = static_cast<std::int64_t>(x);
    line = groups_ != 0 ? line * static_cast<std::int64_t>(groups_) + s.line
                        : line * c.stride_y + s.line;
    if (!c.pixel) column = column * c.stride_x + s.column;
    if (line < begin_ || line >= end_ || column < 0 ||
        column >= static_cast<std::int64_t>(columns_)) {
      if (padding_.empty()) return {};
      return {std::span(padding_).first(s.size), padding_nan_};
    }
    const auto at = (static_cast<std::size_t>(line - begin_) * columns_ +
                     static_cast<std::size_t>(column)) * blocks_ + s.block;
    const auto first = starts_[at].first;
    return {std::span(data_).subspan(first, starts_[at + 1].first - first), starts_[at].nan};
  }

 private:
  struct start {
    std::size_t first;
    std::uint16_t nan;
  };

  void choose_steps(std::size_t channels) {
    const auto& c = layer_;
    steps_.clear();
    std::size_t first = 0;
    const auto add = [&](std::size_t size, std::size_t block, std::int64_t line,
                         std::int64_t column) {
      steps_.push_back({first, size, block, line, column});
      first += size;
    };
    if (groups_ != 0) {
      for (std::size_t g = 0; g < groups_; ++g)
        add(channels * std::min<std::size_t>(c.y_extension, c.kernel_height - g * c.y_extension),
            0, static_cast<std::int64_t>(g), 0);
      return;
    }
    const std::uint32_t columns = c.pixel ? 1 : c.kernel_width;
    for (std::size_t b = 0; b < blocks_; ++b)
      for (std::uint32_t r = 0; r < c.kernel_height; ++r)
        for (std::uint32_t s = 0; s < columns; ++s)
          add(std::min(block_, channels - b * block_), b,
              std::int64_t{r} * c.dilation_y - c.pad_top,
              std::int64_t{s} * c.dilation_x - c.pad_left);
  }

  static void append(std::vector<fp16_datum>& to, std::uint16_t& nan, std::uint16_t bits,
                     std::size_t index) {
    const fp16_operand x(bits);
    if (x.significand == 0) return;
    if (nan == 0 && fp16{bits}.is_nan()) nan = bits;
    to.push_back(fp16_datum::of(x, index));
  }

  // A run of the input's next `n` elements, or none.
  template <class Element>
  void add_run(std::size_t n, Element&& element) {
    starts_.push_back({data_.size(), 0});
    for (std::size_t i = 0; i < n; ++i) append(data_, starts_.back().nan, element(i), i);
  }

  void add_line(std::int64_t y) {
    const std::size_t channels = layer_.channels;
    const auto* from = cbuf_->data16.data() + static_cast<std::size_t>(y) * columns_ * channels;
    for (std::size_t x = 0; x < columns_; ++x)
      for (std::size_t c = 0; c < channels; c += block_) {
        const auto n = std::min(block_, channels - c);
        add_run(n, [&](std::size_t i) { return static_cast<std::uint16_t>(from[i]); });
        from += n;
      }
  }

  // Element `i` of what lies under line `y` of the kernel at pixel x of the output.
  std::uint16_t image_element(std::int64_t y, std::size_t x, std::size_t i) const {
    const auto& c = layer_;
    const auto column = static_cast<std::int64_t>(x * c.stride_x + i / c.channels) - c.pad_left;
    if (y < 0 || y >= cbuf_->height || column < 0 || column >= cbuf_->width)
      return static_cast<std::uint16_t>(c.pad_value);
    const auto pixel = static_cast<std::size_t>(y) * cbuf_->width +
                       static_cast<std::size_t>(column);
    return static_cast<std::uint16_t>(cbuf_->data16[pixel * c.channels + i % c.channels]);
  }

  void add_image_line(std::int64_t y) {
    const auto channels = std::size_t{layer_.channels} * layer_.kernel_width;
    for (std::size_t x = 0; x < columns_; ++x)
      for (std::size_t c = 0; c < channels; c += block_)
        add_run(std::min(block_, channels - c),
                [&](std::size_t i) { return image_element(y, x, c + i); });
  }

  void add_extended_line(std::int64_t line) {
    const auto& c = layer_;
    const auto& s = steps_[static_cast<std::size_t>(line) % groups_];
    const auto y = line / static_cast<std::int64_t>(groups_) * c.stride_y +
                   s.line * c.y_extension - c.pad_top;
    const auto channels = std::size_t{c.channels} * c.kernel_width;
    for (std::size_t x = 0; x < columns_; ++x)
      add_run(s.size, [&](std::size_t i) {
        return image_element(y + static_cast<std::int64_t>(i / channels), x, i % channels);
      });
  }

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::size_t block_ = 1, blocks_ = 1, columns_ = 1;
  std::size_t groups_ = 0;  // steps of a post-extension in y
  std::vector<fp16_step> steps_;
  std::vector<fp16_datum> data_, padding_;
  std::vector<start> starts_;
  std::int64_t begin_ = 0, end_ = 0;  // the lines that starts_ is of
  std::uint16_t padding_nan_ = 0;
  bool has_nan_ = false;
};

}  // namespace nvdlac::sim
