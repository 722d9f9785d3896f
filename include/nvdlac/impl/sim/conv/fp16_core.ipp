// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/fp16_core.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void fp16_input::prepare(const convolution& c, const cbuf_contents& cbuf,
                                     std::size_t block) {
  layer_ = c;
  cbuf_ = &cbuf;
  block_ = block;
  begin_ = end_ = 0;
  const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
  groups_ = c.y_extension > 1 ? in_memory(ceil_div(c.kernel_height, c.y_extension)) : 0;
  columns_ = c.pixel ? c.out_width : cbuf.width;
  blocks_ = groups_ != 0 ? 1 : in_memory(ceil_div(channels, block));
  choose_steps(channels);
  padding_.clear();
  padding_nan_ = 0;
  const auto pad = static_cast<std::uint16_t>(c.pad_value);
  const auto longest = groups_ != 0 ? channels * c.y_extension : std::min(block, channels);
  for (std::size_t i = 0; i < longest; ++i) append(padding_, padding_nan_, pad, i);
  has_nan_ = padding_nan_ != 0 ||
             std::ranges::any_of(cbuf.data16, [](std::int16_t v) {
               return fp16{static_cast<std::uint16_t>(v)}.is_nan();
             });
}

NVDLAC_IMPL void fp16_input::need(std::size_t begin, std::size_t end) {
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
  begin_ = first;
  end_ = last;
  data_.clear();
  starts_.clear();
  for (auto line = first; line < last; ++line)
    if (groups_ != 0) add_extended_line(line);
    else if (c.pixel) add_image_line(line);
    else add_line(line);
  starts_.push_back({data_.size(), 0});
}

inline fp16_run fp16_input::run(const fp16_step& s, std::size_t x, std::size_t y) const {
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

NVDLAC_IMPL void fp16_input::choose_steps(std::size_t channels) {
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

inline void fp16_input::append(std::vector<fp16_datum>& to, std::uint16_t& nan,
                                    std::uint16_t bits, std::size_t index) {
  const fp16_operand x(bits);
  if (x.significand == 0) return;
  if (nan == 0 && fp16{bits}.is_nan()) nan = bits;
  to.push_back(fp16_datum::of(x, index));
}

NVDLAC_IMPL void fp16_input::add_line(std::int64_t y) {
  const std::size_t channels = layer_.channels;
  const auto* from = cbuf_->data16.data() + static_cast<std::size_t>(y) * columns_ * channels;
  for (std::size_t x = 0; x < columns_; ++x)
    for (std::size_t c = 0; c < channels; c += block_) {
      const auto n = std::min(block_, channels - c);
      add_run(n, [&](std::size_t i) { return static_cast<std::uint16_t>(from[i]); });
      from += n;
    }
}

inline std::uint16_t fp16_input::image_element(std::int64_t y, std::size_t x,
                                                    std::size_t i) const {
  const auto& c = layer_;
  const auto column = static_cast<std::int64_t>(x * c.stride_x + i / c.channels) - c.pad_left;
  if (y < 0 || y >= cbuf_->height || column < 0 || column >= cbuf_->width)
    return static_cast<std::uint16_t>(c.pad_value);
  const auto pixel = static_cast<std::size_t>(y) * cbuf_->width +
                     static_cast<std::size_t>(column);
  return static_cast<std::uint16_t>(cbuf_->data16[pixel * c.channels + i % c.channels]);
}

NVDLAC_IMPL void fp16_input::add_image_line(std::int64_t y) {
  const auto channels = std::size_t{layer_.channels} * layer_.kernel_width;
  for (std::size_t x = 0; x < columns_; ++x)
    for (std::size_t c = 0; c < channels; c += block_)
      add_run(std::min(block_, channels - c),
              [&](std::size_t i) { return image_element(y, x, c + i); });
}

NVDLAC_IMPL void fp16_input::add_extended_line(std::int64_t line) {
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

NVDLAC_IMPL void fp16_core::surface(std::size_t s, std::size_t lanes, std::size_t group,
                                    std::size_t block, std::span<std::int32_t> out) {
  if (block != block_) input_.prepare(layer_, *cbuf_, block);
  block_ = block;
  std::ranges::fill(out, 0);
  for (std::size_t lane = 0; lane < lanes; lane += fp16_lane_count) {
    const auto first = s * lanes + lane;
    if (first >= layer_.kernels) break;
    const auto kernels = std::min({fp16_lane_count, lanes - lane, layer_.kernels - first});
    unpack_weights(first, kernels, group, block);
    compute(kernels, lanes, out.subspan(lane));
  }
}

NVDLAC_IMPL void fp16_core::unpack_weights(std::size_t first, std::size_t kernels,
                                           std::size_t group, std::size_t block) {
  weights_.resize(static_cast<std::size_t>(layer_.kernel_elements()));
  weight_nans_.clear();
  for (std::size_t k = 0; k < kernels; ++k) {
    runs_[k].clear();
    each_weight_run(layer_, group, block, first + k,
                    [&](std::size_t from, std::size_t, std::size_t, std::size_t, std::size_t n) {
      runs_[k].push_back({from, n});
    });
  }
  // Run by run, for the weights to stay in the processor's cache until all lanes are there.
  std::size_t at = 0;
  for (std::size_t run = 0; run < runs_[0].size(); ++run) {
    const auto size = runs_[0][run].size;
    if (kernels < fp16_lane_count) std::fill_n(&weights_[at], size, fp16_weights{});
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto* bytes = cbuf_->weights.data() + 2 * runs_[k][run].from;
      for (std::size_t i = 0; i < size; ++i) {
        const auto bits = static_cast<std::uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8);
        weights_[at + i].set(k, bits);
        if (fp16{bits}.is_nan()) note_nan(at + i, k, bits);
      }
    }
    at += size;
  }
}

NVDLAC_IMPL void fp16_core::note_nan(std::size_t at, std::size_t k, std::uint16_t bits) {
  const auto steps = input_.steps();
  weight_nans_.resize(steps.size());
  const auto after = std::ranges::upper_bound(steps, at, {}, &fp16_step::first);
  auto& nan = weight_nans_[static_cast<std::size_t>(after - steps.begin()) - 1][k];
  if (nan == 0) nan = bits;
}

NVDLAC_IMPL void fp16_core::compute(std::size_t kernels, std::size_t lanes,
                                    std::span<std::int32_t> out) {
  const std::size_t height = layer_.out_height, lines = input_.lines_at_once();
  for (std::size_t y = 0; y < height; y += lines) {
    const auto end = std::min(height, y + lines);
    input_.need(y, end);
    team_.share(end - y, [&](std::size_t first, std::size_t last) {
      for (auto i = y + first; i < y + last; ++i) line(i, kernels, lanes, out);
    });
  }
}

NVDLAC_IMPL void fp16_core::line(std::size_t y, std::size_t kernels, std::size_t lanes,
                                 std::span<std::int32_t> out) const {
  const std::size_t width = layer_.out_width;
  std::vector<pixel_sums> sums(width);
  const auto steps = input_.steps();
  const bool has_nan = input_.has_nan() || !weight_nans_.empty();
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t x = 0; x < width; ++x) {
      const auto run = input_.run(steps[i], x, y);
      if (!run.data.empty())
        way_.accumulate(run.data, weights_.data() + steps[i].first, sums[x].values);
      if (!has_nan) continue;
      for (std::size_t k = 0; k < kernels; ++k) {
        auto& nan = sums[x].first_nan[k];
        if (nan == 0 && !weight_nans_.empty()) nan = weight_nans_[i][k];
        if (nan == 0) nan = run.nan;
      }
    }
  for (std::size_t x = 0; x < width; ++x)
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto nan = sums[x].first_nan[k];
      const auto bits = nan != 0 ? convert<fp32>(fp16{nan}).bits : fp16_result(sums[x].values[k]);
      out[(y * width + x) * lanes + k] = static_cast<std::int32_t>(bits);
    }
}

}  // namespace nvdlac::sim
