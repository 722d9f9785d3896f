// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions whose kernels have lines apart, line by line of these: a result's lines lie in every
// n-th line of the input, and the next results that read the same lines n further on. CDMA reads
// and SDP writes lines at any distance (CDMA.D_LINE_STRIDE, SDP.D_DST_LINE_STRIDE), so that what
// lies between takes no room in the CBUF.
#include <algorithm>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/net/line_phase.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

using net::line_phase;

// The phases of a convolution: none, itself as the only one, or as many as its kernel's lines are
// apart.
struct line_phases {
  std::int32_t step = 1, count = 0;
  net::shape whole_in{}, whole_out{};
  net::window whole_window{};
  // A convolution that reads as many lines as any of them, and gives as many.
  net::shape in{}, out{};
  net::window window{};

  constexpr bool empty() const { return count == 0; }
  constexpr line_phase at(std::int32_t i) const {
    if (step == 1)
      return {.lines_read = whole_in.h, .lines = whole_out.h, .above = whole_window.pad_top,
              .below = whole_window.pad_bottom};
    return line_phase::of(whole_in.h, whole_out.h, whole_window, step, i);
  }
  constexpr net::window window_of(const line_phase& p) const {
    auto w = window;
    w.pad_top = p.above;
    w.pad_bottom = p.below;
    return w;
  }
  // The lines that a phase, or the largest one, reads and writes of whole cubes.
  constexpr layer::surface read(const layer::surface& whole, bytes atom,
                                const line_phase& p) const {
    if (step == 1) return whole;
    return layer::every_line(whole, atom, step, 0, p.from, 0, {in.c, p.lines_read, in.w});
  }
  constexpr layer::surface written(const layer::surface& whole, bytes atom,
                                   const line_phase& p) const {
    if (step == 1) return whole;
    return layer::every_line(whole, atom, step, 0, p.to, 0, {out.c, p.lines, out.w});
  }
  constexpr line_phase largest() const { return {.lines_read = in.h, .lines = out.h}; }
};

// A convolution as the only phase of itself.
constexpr line_phases one_phase(net::shape in, net::shape out, const net::window& w) {
  return {.count = 1, .whole_in = in, .whole_out = out, .whole_window = w, .in = in, .out = out,
          .window = w};
}

namespace detail {

// The phases of a kernel with lines apart; none where it steps over lines of the result, or where a
// line of it comes of padding alone.
constexpr line_phases phases_of(net::shape in, net::shape out, const net::window& w) {
  const std::int32_t step = w.dilation_h, taps = w.kernel_h;
  if (step < 2 || taps < 2 || w.stride_h != 1) return {};
  line_phases found{.step = step, .count = std::min(step, out.h), .whole_in = in,
                    .whole_out = out, .whole_window = w, .in = {in.c, 0, in.w},
                    .out = {out.c, 0, out.w}, .window = w};
  for (std::int32_t i = 0; i < found.count; ++i) {
    const line_phase p = found.at(i);
    if (p.lines_read < 1 || p.above >= taps || p.below >= taps) return {};
    found.in.h = std::max(found.in.h, p.lines_read);
    found.out.h = std::max(found.out.h, p.lines);
  }
  found.window.dilation_h = 1;
  const std::int32_t padding = found.out.h - 1 + taps - found.in.h;
  found.window.pad_top = std::min(padding, taps - 1);
  found.window.pad_bottom = padding - found.window.pad_top;
  return found;
}

// The bytes that the passes of all phases read, weights anew for each.
constexpr std::uint64_t bytes_read(const line_phases& phases, const convolution_split& split,
                                   hw::precision p) {
  const auto natural = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  const kernel_shape kernels{phases.out.c, phases.in.c, phases.window.kernel_h,
                             phases.window.kernel_w};
  std::uint64_t elements = 0;
  for (std::int32_t i = 0; i < phases.count; ++i) {
    const line_phase phase = phases.at(i);
    const net::shape in{phases.in.c, phase.lines_read, phases.in.w};
    const net::shape out{phases.out.c, phase.lines, phases.out.w};
    const pass_axes axes(in, out, phases.window_of(phase), {});
    for (std::int32_t y = 0; y < out.h; y += split.rows)
      for (std::int32_t x = 0; x < out.w; x += split.columns)
        elements += natural(axes.rows.part(y, split.rows).input.count) *
                        natural(axes.columns.part(x, split.columns).input.count) *
                        natural(in.c) +
                    natural(out.c) * kernels.elements();
  }
  return elements * hw::element_bytes(p);
}

}  // namespace detail

// The phases of a convolution of features, where the CBUF has no room for its lines with all that
// lies between and its passes read more bytes than the phases do; none elsewhere. SDP reads a
// second input where it writes: `adds`.
constexpr line_phases dilated_lines(const hw::spec& hw, net::shape in, net::shape out,
                                    const net::window& w, hw::precision p, bool adds) {
  const auto phases = detail::phases_of(in, out, w);
  if (phases.empty()) return {};
  const auto whole = split_convolution(hw, in, out, w, false, p);
  if (whole && whole->rows == out.h && whole->columns == out.w) return {};
  const auto split = split_convolution(hw, phases.in, phases.out, phases.window, false, p);
  if (!split) return {};
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  if (adds && split->kernels < out.c && split->kernels % lanes != 0) return {};
  if (whole && detail::bytes_read(phases, *split, p) >=
                   detail::bytes_read(one_phase(in, out, w), *whole, p))
    return {};
  return phases;
}

}  // namespace nvdlac::lower
