// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of PDP.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

// A width of so many parts.
constexpr bool adds_up(std::uint32_t parts, std::int64_t first, std::int64_t mid, std::int64_t last,
                       std::int64_t whole) {
  return whole == (parts == 2 ? first + last : first + (parts - 2) * mid + last);
}

template <hw::register_map Map>
constexpr void check_split(const layer::pdp& p, rules r) {
  constexpr const auto& limits = hw::limits<Map>.pdp;
  const auto& s = p.split;
  // 8 line buffers of 16 atoms are shared by the windows that overlap one line.
  constexpr std::array overlapping{1, 1, 2, 4, 4, 8, 8, 8, 8};
  const auto& w = p.window;
  const auto windows = std::clamp<std::int32_t>(
      (w.kernel_h + w.stride_h - 1) / std::max<std::int32_t>(w.stride_h, 1), 1, 8);
  const std::int64_t most = 128 / overlapping[static_cast<std::size_t>(windows)];
  r.within(s.parts, 1, limits.firmware_splits, "the number of parts");
  if (s.parts == 1)
    return r.expect(p.output.shape.w <= most, "the line buffers hold ", most, " columns of the ",
                    p.output.shape.w, " of the output");
  r.expect(!p.input.at.on_the_fly(), "what comes on the fly cannot be split");
  r.expect(adds_up(s.parts, s.in_first, s.in_mid, s.in_last, p.input.shape.w) &&
               adds_up(s.parts, s.out_first, s.out_mid, s.out_last, p.output.shape.w),
           "the parts do not add up to the width");
  for (const auto part : {s.out_first, s.out_mid, s.out_last})
    r.expect(part <= most, "the line buffers hold ", most, " columns of the ", part, " of a part");
  for (const auto part : {s.in_first, s.in_mid, s.in_last, s.out_first, s.out_mid, s.out_last})
    r.within(part, 0, limits.split_width, "the width of a part");
}

template <hw::register_map Map>
constexpr void check_layer(const layer::pdp& p, rules r) {
  constexpr const auto& limits = hw::limits<Map>.pdp;
  const net::shape in = p.input.shape, out = p.output.shape;
  r.expect(r.hw().has_pdp(), "the configuration has none");
  r.size(in, limits.width, limits.height, limits.channels, "the input");
  r.size(out, limits.width, limits.height, limits.channels, "the output");
  r.expect(p.input.precision == p.output.precision, "the data types of its cubes differ");
  r.expect(r.hw().data_types.has(p.input.precision),
           "the configuration does not have the data type");
  r.expect(in.c == out.c, "the input has ", in.c, " channels but the output ", out.c);
  if (!p.input.at.on_the_fly()) r.cube(p.input, "the input");
  r.expect(!p.output.at.on_the_fly(), "its result cannot go on the fly");
  if (!p.output.at.on_the_fly()) r.cube(p.output, "the output");
  const auto& w = p.window;
  r.expect(w.dilation_h == 1 && w.dilation_w == 1, "a pooling has no dilation");
  r.within(w.kernel_h, 1, limits.kernel, "the kernel's height");
  r.within(w.kernel_w, 1, limits.kernel, "the kernel's width");
  r.within(w.stride_h, 1, limits.firmware_stride, "the vertical stride");
  r.within(w.stride_w, 1, limits.firmware_stride, "the horizontal stride");
  const auto most = [&](std::int32_t kernel) {
    return std::min<std::int64_t>(limits.pad, kernel - 1);
  };
  r.within(w.pad_top, 0, most(w.kernel_h), "the top padding");
  r.within(w.pad_bottom, 0, most(w.kernel_h), "the bottom padding");
  r.within(w.pad_left, 0, most(w.kernel_w), "the left padding");
  r.within(w.pad_right, 0, most(w.kernel_w), "the right padding");
  r.within(p.pad_value, -128, 127, "the padding value");
  // Lines that remain would be taken for the next surface's.
  r.expect(slides_exactly(in.h, w.pad_top, w.pad_bottom, w.kernel_h, w.stride_h, out.h),
           "the output's height ", out.h, " does not follow from the input's ", in.h);
  r.expect(slides_exactly(in.w, w.pad_left, w.pad_right, w.kernel_w, w.stride_w, out.w),
           "the output's width ", out.w, " does not follow from the input's ", in.w);
  check_split<Map>(p, r);
}

}  // namespace nvdlac::plan::checker
