// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions of few channels that read neighbouring lines as channels.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

// How a convolution sees the lines of its input: so many stand beside each other as channels.
struct line_fold {
  std::int32_t lines = 1;  // 1: none but its own
  std::int32_t lanes = 0;  // channels from one line to the next
  std::int32_t shift = 0;  // from line 0 of the first tap to the kernel's first, at most 0

  // The line of the kernel to which a channel of a tap belongs; beyond the kernel: to none.
  constexpr std::int32_t line_of(std::int32_t tap, std::int32_t channel) const {
    return tap * lines + channel / lanes + shift;
  }
};

// A part of a convolution: `count` lines of its result from `first` on, every `step`-th.
struct line_part {
  std::int32_t first = 0, step = 1, count = 0;
  layer::surface in{};
  net::window window{};
  line_fold fold{};
};

namespace detail {

// A convolution that reads one surface, of which `lines` neighbouring lines are folded: line y is
// line y / lines of surface y % lines. Each part has the lines of the result whose windows begin at
// the same one of the folded lines; those that need lines which no whole group has are a part of
// their own that is not folded.
class line_folding {
 public:
  constexpr line_folding(const hw::spec& hw, const layer::surface& in, net::shape out,
                         const net::window& w, std::int32_t lines)
      : hw_(hw), in_(in), out_(out), window_(w), lines_(lines),
        lanes_(static_cast<std::int32_t>(layer::lanes_of(hw.atom(), in.precision))),
        groups_(in.shape.h / lines) {
    const std::int32_t whole = groups_ * lines, room = whole - w.kernel_h + w.pad_top;
    if (whole == in.shape.h) folded_ = out.h;
    else if (room >= 0) folded_ = std::min(room / w.stride_h + 1, out.h);
  }

  // No parts where the hardware cannot read them so.
  constexpr std::vector<line_part> parts() const {
    const std::int32_t step = lines_ / window_.stride_h;
    const bool is_whole = step * window_.stride_h == lines_;
    if (!is_whole || folded_ < step || window_.pad_top >= window_.kernel_h) return {};
    std::vector<line_part> all;
    for (std::int32_t p = 0; p < step; ++p) all.push_back(phase(p, step));
    if (folded_ == out_.h) return all;
    const std::int32_t first = folded_ * window_.stride_h - window_.pad_top;
    if (first < 0) return {};
    all.push_back({folded_, 1, out_.h - folded_,
                   layer::part(in_, hw_.atom(), 0, first, 0,
                               {in_.shape.c, in_.shape.h - first, in_.shape.w}),
                   window_});
    all.back().window.pad_top = 0;
    return all;
  }

 private:
  constexpr line_part phase(std::int32_t p, std::int32_t step) const {
    const auto group_of = [&](std::int32_t line) {
      return line < 0 ? -((lines_ - 1 - line) / lines_) : line / lines_;
    };
    const std::int32_t begin = p * window_.stride_h - window_.pad_top;
    const std::int32_t before = -std::min<std::int32_t>(group_of(begin), 0);
    line_part part{.first = p, .step = step, .count = (folded_ - p + step - 1) / step, .in = in_,
                   .window = window_, .fold = {lines_, lanes_, -before * lines_ - begin}};
    auto& w = part.window;
    w.kernel_h = group_of(begin + window_.kernel_h - 1) + before + 1;
    w.stride_h = 1;
    w.pad_top = before;
    const std::int32_t reach = part.count - 1 + w.kernel_h - before;
    w.pad_bottom = std::max<std::int32_t>(reach - groups_, 0);
    auto& in = part.in;
    in.shape = {(lines_ - 1) * lanes_ + in_.shape.c, std::min(groups_, reach), in_.shape.w};
    in.surface_stride = in_.line_stride;
    in.line_stride = in_.line_stride * static_cast<std::uint32_t>(lines_);
    in.size = layer::extent(in, hw_.atom());
    return part;
  }

  const hw::spec& hw_;
  const layer::surface& in_;
  net::shape out_;
  const net::window& window_;
  std::int32_t lines_, lanes_, groups_;
  std::int32_t folded_ = 0;  // lines of the result that folded ones give
};

// Cycles that the MACs take for one kernel group, and that the memory takes for its weights.
constexpr std::uint64_t steps_of(const hw::spec& hw, const layer::surface& in, std::int32_t lines,
                                 net::shape out, const net::window& w) {
  const auto taps = static_cast<std::uint64_t>(w.kernel_h) * static_cast<std::uint64_t>(w.kernel_w);
  const auto channels = static_cast<std::uint64_t>(in.shape.c);
  const auto places = static_cast<std::uint64_t>(lines) * static_cast<std::uint64_t>(out.w);
  const auto kernels = std::min<std::uint64_t>(hw.mac_atomic_k, static_cast<std::uint64_t>(out.c));
  return places * taps * ceil_div(channels, hw.mac_atomic_c) +
         taps * channels * kernels * hw::element_bytes(in.precision) * 8 / hw.dram.width_bits;
}

}  // namespace detail

// The parts of a convolution of one surface of `in` in int8 or int16 by which it takes the fewest
// steps of the MACs, if fewer than as one: MACs take mac_atomic_c channels in a step, of which an
// atom of memory has but a part. CDMA reads lines and surfaces at any distance (CDMA.D_LINE_STRIDE,
// CDMA.D_SURF_STRIDE), so that folding costs weights of zero and the start of each part alone.
// runs(part) tells whether the hardware runs a part.
template <class Runs>
constexpr std::vector<line_part> folded_lines(const hw::spec& hw, const layer::surface& in,
                                              net::shape out, const net::window& w,
                                              const Runs& runs) {
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), in.precision));
  const bool is_possible = in.precision != hw::precision::fp16 && in.shape.c <= lanes &&
                           w.kernel_h > 1 && w.dilation_h == 1 && out.h > 1 && out.w > 1 &&
                           !in.is_interleaved() && in.pictures == 1;
  std::vector<line_part> best;
  if (!is_possible) return best;
  auto least = detail::steps_of(hw, in, out.h, out, w);
  const auto most = static_cast<std::int32_t>(hw.mac_atomic_c) / lanes;
  for (std::int32_t lines = 2; lines <= std::min(most, in.shape.h); ++lines) {
    auto parts = detail::line_folding(hw, in, out, w, lines).parts();
    if (parts.empty() || !std::ranges::all_of(parts, runs)) continue;
    std::uint64_t steps = 0;
    for (const auto& part : parts)
      steps += detail::steps_of(hw, part.in, part.count, out, part.window);
    if (steps < least) {
      least = steps;
      best = std::move(parts);
    }
  }
  return best;
}

}  // namespace nvdlac::lower
