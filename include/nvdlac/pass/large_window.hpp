// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows beyond what NVDLA's engines slide over their input, as smaller ones. The passes make the
// networks that these plans describe, and the predicate of what runs where judges their pieces.
#include <algorithm>
#include <array>
#include <cstdint>

#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/line_phase.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::pass {

// The steps [a * b * n] as steps of a, of which every b-th is kept: a is the largest that an engine
// takes.
constexpr std::int64_t engine_stride(std::int64_t stride) {
  for (std::int64_t a = hw::any_map.convolution.stride; a > 1; --a)
    if (stride % a == 0) return a;
  return 1;
}

// The kernels of one of the convolutions that a convolution becomes: groups stay together.
constexpr std::int32_t kernels_at_once(const net::convolution& op) {
  return op.groups == 1 ? std::min(op.kernels, hw::any_map.convolution.kernels) : op.kernels;
}

// Whether PDP takes the window in one step.
constexpr bool pdp_takes(const net::window& w) {
  return std::max(w.kernel_h, w.kernel_w) <= hw::any_map.pdp.kernel &&
         std::max(w.stride_h, w.stride_w) <= hw::any_map.pdp.stride;
}

// A global pooling, or one with a window that is too large for PDP and takes in everything: it is
// done in levels.
constexpr bool covers(const net::pool& op, net::shape in) {
  if (op.global) return true;
  const auto& w = op.window;
  return std::max(w.kernel_h, w.kernel_w) > hw::any_map.pdp.kernel &&
         op.infer(std::array{in}) == net::shape{in.c, 1, 1} && w.kernel_h - w.pad_top >= in.h &&
         w.kernel_w - w.pad_left >= in.w;
}

// Another average that PDP does not take is a convolution, one kernel for each channel.
constexpr bool is_convolved(const net::pool& op, net::shape in) {
  return op.kind == net::pool_kind::average && !covers(op, in) && !pdp_takes(op.window);
}
constexpr net::convolution convolution_of(const net::pool& op, net::shape in) {
  return {.kernels = in.c, .window = padded_for(op.window, in, op.infer(std::array{in})),
          .groups = in.c};
}

// The positions of a window that see something of the input; those before and behind lie in the
// padding alone.
struct positions {
  std::int32_t first = 0, count = 0;

  static constexpr positions of(const net::sliding& s, std::int64_t size, std::int64_t out) {
    const auto extent = s.extent();
    const auto first = s.before < extent ? 0 : (s.before - extent) / s.stride + 1;
    const auto end = std::min(out, (size + s.before + s.stride - 1) / s.stride);
    return {static_cast<std::int32_t>(std::min(first, out)),
            static_cast<std::int32_t>(std::max<std::int64_t>(end - first, 0))};
  }
  constexpr bool contains(std::int32_t i) const { return i >= first && i < first + count; }
  // Whether at most `most` of `out` positions are before these, and at most as many behind.
  constexpr bool all_but(std::int32_t most, std::int32_t out) const {
    return first <= most && out - first - count <= most;
  }
};

// A line or column of windows in the padding alone is a layer of its own: so many at each edge.
inline constexpr std::int32_t padding_lines = 16;

// The part of a convolution that CONV computes: it pads by less than its kernel, so that
// windows in the padding alone are left out.
struct convolution_core {
  positions rows{}, columns{};  // of the output
  net::range lines{}, row{};         // of the input that they see, with the padding
  bool whole = true;            // nothing is left out

  static constexpr convolution_core of(const net::window& w, net::shape in, net::shape out) {
    convolution_core c{.rows = positions::of(vertical(w), in.h, out.h),
                       .columns = positions::of(horizontal(w), in.w, out.w)};
    c.whole = c.rows.count == out.h && c.columns.count == out.w;
    if (c.empty()) return c;
    c.lines = net::input_range(in.h, w.extent_h(), w.stride_h, w.pad_top, c.rows.first,
                               c.rows.count);
    c.row = net::input_range(in.w, w.extent_w(), w.stride_w, w.pad_left, c.columns.first,
                             c.columns.count);
    return c;
  }

  constexpr bool empty() const { return rows.count == 0 || columns.count == 0; }
  constexpr net::shape input(std::int32_t channels) const {
    return {channels, lines.count, row.count};
  }
  constexpr net::shape output(std::int32_t channels) const {
    return {channels, rows.count, columns.count};
  }
  constexpr net::window padded(net::window w) const {
    w.pad_top = lines.pad_before;
    w.pad_bottom = lines.pad_after;
    w.pad_left = row.pad_before;
    w.pad_right = row.pad_after;
    return w;
  }
};

// Rings of zero taps that a kernel of pixels needs above and below (left and right) to reach over a
// padding that is as large as itself: CDMA reads whole lines of pixels, so nothing is left out.
constexpr std::int32_t zero_rings(const net::sliding& s) {
  const auto missing = std::max(s.before, s.after) - s.extent() + 1;
  return missing <= 0 ? 0 : static_cast<std::int32_t>((missing + s.dilation - 1) / s.dilation);
}

// The window with a kernel that is larger than its padding; the new taps are zeros.
constexpr net::window widened(net::window w) {
  const auto h = zero_rings(vertical(w)), v = zero_rings(horizontal(w));
  w.kernel_h += 2 * h;
  w.kernel_w += 2 * v;
  w.pad_top += h * w.dilation_h;
  w.pad_bottom += h * w.dilation_h;
  w.pad_left += v * w.dilation_w;
  w.pad_right += v * w.dilation_w;
  return w;
}

// Whether CONV takes the kernel for pixels with those rings and their padding.
constexpr bool fits_pixels(const net::window& narrow) {
  const net::window w = widened(narrow);
  const auto& most = hw::any_map.convolution;
  return w.kernel_h <= most.kernel && w.kernel_w <= most.kernel &&
         std::max(w.pad_top, w.pad_left) <= most.pad_before &&
         std::max(w.pad_bottom, w.pad_right) <= most.pad_after;
}

// Some neighbouring taps of a kernel, along one dimension.
struct tap_range {
  std::int64_t first = 0, end = 0;

  // The taps that somewhere meet more than padding: few where a dilated kernel slides over an input
  // that is smaller than its dilation. The window that they leave pads by no less than 0.
  static constexpr tap_range busy(const net::sliding& s, std::int64_t size) {
    tap_range t{0, s.kernel};
    const auto idle = [&](std::int64_t tap) {
      const auto at = tap * s.dilation - s.before;
      return at >= size || at + (s.positions(size, false) - 1) * s.stride < 0;
    };
    while (t.count() > 1 && idle(t.first) && (t.first + 1) * s.dilation <= s.before) ++t.first;
    while (t.count() > 1 && idle(t.end - 1) && (s.kernel - t.end + 1) * s.dilation <= s.after)
      --t.end;
    return t;
  }

  constexpr std::int64_t count() const { return end - first; }
  // The window `s` with these taps alone.
  constexpr net::sliding of_window(const net::sliding& s) const {
    return {count(), s.stride, s.before - first * s.dilation,
            s.after - (s.kernel - end) * s.dilation, count() == 1 ? 1 : s.dilation};
  }
};
constexpr net::window with_busy_taps(const net::window& w, net::shape in) {
  const bool pads = w.pad_top != 0 || w.pad_left != 0 || w.pad_bottom != 0 || w.pad_right != 0;
  if (!pads && w.dilation_h == 1 && w.dilation_w == 1) return w;
  const net::sliding v = vertical(w), h = horizontal(w);
  const net::sliding rows = tap_range::busy(v, in.h).of_window(v),
                columns = tap_range::busy(h, in.w).of_window(h);
  const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  return {.kernel_h = narrow(rows.kernel), .kernel_w = narrow(columns.kernel),
          .stride_h = w.stride_h, .stride_w = w.stride_w,
          .pad_top = narrow(rows.before), .pad_left = narrow(columns.before),
          .pad_bottom = narrow(rows.after), .pad_right = narrow(columns.after),
          .dilation_h = narrow(rows.dilation), .dilation_w = narrow(columns.dilation)};
}

// How the input of a convolution is copied, along one dimension, so that an engine can read it.
enum class window_copy : std::uint8_t {
  none,
  taps,    // those of each window beside each other
  padded,  // with the padding
};

// One dimension of a convolution whose kernel, stride, dilation or padding is too large.
struct convolution_axis {
  net::sliding window{};    // what the convolution slides over `size` elements
  std::int64_t size = 0;
  std::int64_t out = 0;   // positions of the whole
  window_copy copy = window_copy::none;
  std::int64_t keep = 1;  // every so many positions is kept
  std::int64_t parts = 1;  // of the kernel

  static constexpr convolution_axis of(net::sliding s, std::int64_t size) {
    convolution_axis a{.window = s, .size = size, .out = s.positions(size, false)};
    const auto& most = hw::any_map.convolution;
    const bool far = s.stride > most.stride || s.dilation > most.dilation;
    a.parts = (s.kernel + most.kernel - 1) / most.kernel;
    if (far && s.kernel <= most.stride) {
      a.copy = window_copy::taps;
      a.size = a.out * s.kernel;
      a.window = {s.kernel, s.kernel, 0, 0, 1};
      return a;
    }
    if (s.stride > most.stride) {
      a.window.stride = engine_stride(s.stride);
      a.keep = s.stride / a.window.stride;
    }
    if (!can_pad(a.window, a.parts)) {
      a.copy = window_copy::padded;
      a.size = s.padded(size);
      a.window.before = a.window.after = 0;
      a.size = (a.positions() - 1) * a.window.stride + a.window.extent();  // what is read
    }
    return a;
  }

  // Whether the engine pads for the window, or for each part of its kernel. Windows in the padding
  // alone are not the engine's, so that it pads by less than the kernel's extent.
  static constexpr bool can_pad(net::sliding s, std::int64_t parts) {
    s.kernel /= parts;  // of the smallest
    const auto most = s.extent() - 1;
    const auto few = (parts == 1 ? padding_lines : 0) * s.stride;
    return s.before <= most + few && s.after <= most + few &&
           std::min(s.before, most) <= hw::any_map.convolution.pad_before &&
           std::min(s.after, most) <= hw::any_map.convolution.pad_after;
  }

  // The element of the input that element i of the copy is, for the window s of the whole.
  constexpr std::int64_t source(net::sliding s, std::int64_t i) const {
    switch (copy) {
      case window_copy::none: return i;
      case window_copy::taps: return i / s.kernel * s.stride - s.before + i % s.kernel * s.dilation;
      case window_copy::padded: return i - s.before;
    }
    return i;
  }

  constexpr bool whole() const { return copy == window_copy::none && keep == 1 && parts == 1; }
  constexpr std::int64_t positions() const { return window.positions(size, false); }
  // The taps [first, end) of part n, which differ in number by at most one.
  constexpr std::int64_t first_tap(std::int64_t n) const { return window.kernel * n / parts; }
  // Elements that part n reads, and its padding. Where one part sees nothing but padding, as the
  // whole does then, it stays as it is.
  constexpr net::range read_by(std::int64_t n) const {
    const auto first = first_tap(n), taps = first_tap(n + 1) - first;
    const auto read = net::input_range(static_cast<std::int32_t>(size),
                                  static_cast<std::int32_t>((taps - 1) * window.dilation + 1),
                                  static_cast<std::int32_t>(window.stride),
                                  static_cast<std::int32_t>(window.before -
                                                            first * window.dilation),
                                  0, static_cast<std::int32_t>(positions()));
    if (read.count > 0 || parts > 1) return read;
    return {0, static_cast<std::int32_t>(size), static_cast<std::int32_t>(window.before),
            static_cast<std::int32_t>(window.after)};
  }
};

struct convolution_axes {
  convolution_axis h, w;

  static constexpr convolution_axes of(const net::window& w, net::shape in) {
    return {convolution_axis::of(vertical(w), in.h), convolution_axis::of(horizontal(w), in.w)};
  }
  constexpr bool whole() const { return h.whole() && w.whole(); }
  constexpr bool copied() const {
    return h.copy != window_copy::none || w.copy != window_copy::none;
  }
  // The window of part (i, j) on its piece of the input, and that piece.
  constexpr net::window part(std::int64_t i, std::int64_t j) const {
    const net::range rows = h.read_by(i), columns = w.read_by(j);
    const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
    return {.kernel_h = narrow(h.first_tap(i + 1) - h.first_tap(i)),
            .kernel_w = narrow(w.first_tap(j + 1) - w.first_tap(j)),
            .stride_h = narrow(h.window.stride), .stride_w = narrow(w.window.stride),
            .pad_top = rows.pad_before, .pad_left = columns.pad_before,
            .pad_bottom = rows.pad_after, .pad_right = columns.pad_after,
            .dilation_h = narrow(h.window.dilation), .dilation_w = narrow(w.window.dilation)};
  }
  constexpr net::shape piece(std::int32_t channels, std::int64_t i, std::int64_t j) const {
    return {channels, h.read_by(i).count, w.read_by(j).count};
  }
};

// The phases of a convolution whose taps or padding are further apart in lines than the registers
// tell, or which would have to be copied for that: fewest phases that need neither.
struct far_lines {
  net::shape in{};
  net::window window{};
  std::int32_t lines = 0;   // of the result
  std::int32_t phases = 1;  // 1: as it is, or none help

  static constexpr far_lines of(const net::window& w, net::shape in) {
    far_lines f{in, w};
    const auto whole = convolution_axis::of(net::vertical(w), in.h);
    if (w.stride_h != 1 || w.dilation_h == 1 || whole.copy == window_copy::none) return f;
    f.lines = static_cast<std::int32_t>(whole.out);
    for (f.phases = 2; f.phases <= std::min(w.dilation_h, f.lines); ++f.phases)
      if (w.dilation_h % f.phases == 0 && f.are_near()) return f;
    f.phases = 1;
    return f;
  }

  constexpr net::line_phase at(std::int32_t n) const {
    return net::line_phase::of(in.h, lines, window, phases, n);
  }
  constexpr net::window window_of(const net::line_phase& p) const {
    auto w = window;
    w.pad_top = p.above;
    w.pad_bottom = p.below;
    w.dilation_h /= phases;
    return w;
  }
  constexpr net::shape read_by(const net::line_phase& p) const {
    return {in.c, p.lines_read, in.w};
  }

 private:
  constexpr bool are_near() const {
    for (std::int32_t n = 0; n < phases; ++n) {
      const auto p = at(n);
      if (p.lines_read < 1 ||
          convolution_axis::of(net::vertical(window_of(p)), p.lines_read).copy !=
              window_copy::none)
        return false;
    }
    return true;
  }
};

}  // namespace nvdlac::pass
