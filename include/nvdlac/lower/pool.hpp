// SPDX-License-Identifier: Apache-2.0
#pragma once
// The poolings of PDP, and the averages that CONV computes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/pool_runs.hpp>
#include <nvdlac/lower/select_channels.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/pool.hpp>

namespace nvdlac::lower {

namespace detail {

// The extrema of pairs of lines. Where PDP takes an element a cycle, CONV and SDP are done with two
// lines before it is with one: kernels of a single 1 read the first line of each pair, SDP compares
// with the second, and PDP takes on the fly what is left of the windows.
class line_pairs {
 public:
  // Nothing where windows do not consist of pairs, or are so few that a layer of PDP takes less.
  static constexpr std::optional<line_pairs> of(const hw::spec& hw,
                                                const site<quantised::pool>& s) {
    const auto& w = s.op.window;
    const net::shape in = s.in[0].shape, out = s.out.shape;
    constexpr std::size_t least_elements = 8192;
    if (hw.pdp_throughput > 1 || s.op.kind == net::pool_kind::average ||
        s.out.precision != hw::precision::int8 || s.in[0].is_interleaved() ||
        w.kernel_h % 2 != 0 || w.stride_h != w.kernel_h ||
        w.pad_top != 0 || out.h * w.kernel_h != in.h || in.size() < least_elements)
      return std::nullopt;
    line_pairs pairs{hw, s};
    auto half = s.op;
    half.window.kernel_h = half.window.stride_h = w.kernel_h / 2;
    half.window.pad_bottom = 0;
    const auto behind = pooled_by(half, {in.c, in.h / 2, in.w}, out);
    if (!behind) return std::nullopt;
    pairs.behind_ = *behind;
    for (std::int32_t c = 0; c < in.c; c += pairs.block())
      if (!pairs.split_of(c)) return std::nullopt;
    return pairs;
  }

  constexpr void run(assembly& to) const {
    const bytes atom = hw_.atom();
    const std::int32_t all = s_.in[0].shape.c;
    const auto keep = [&](label what, std::uint64_t size, const auto& write) {
      return to.keep(std::move(what), size, write);
    };
    const auto weights = [](std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t,
                            std::int32_t, std::uint8_t* at) {
      if (k >= c && k < c + n) at[k - c] = 1;
    };
    const auto operands = [](std::int32_t) { return std::pair(std::int16_t{0}, std::int16_t{1}); };
    for (std::int32_t c = 0; c < all; c += block()) {
      requantisation q{};
      q.x2 = {.alu = true,
              .algorithm = s_.op.kind == net::pool_kind::maximum ? layer::sdp_alu::maximum
                                                                 : layer::sdp_alu::minimum,
              .mode = layer::sdp_mode::per_point,
              .operand_bytes = 1,
              .operands = lines(c, 1)};
      label name = s_.name;
      if (block() < all) name = label(name, "/c", c);
      auto pool = behind_;
      pool.name = name;
      const auto out =
          layer::part(s_.out, atom, c, 0, 0, {channels(c), s_.out.shape.h, s_.out.shape.w});
      convolve(hw_, to, label(name, "/lines"), lines(c, 0), {}, out,
               one_phase(lines(c, 0).shape, out.shape, {}), *split_of(c), q,
               kernel_values{weights, operands, keep}, pool);
    }
  }

 private:
  constexpr line_pairs(const hw::spec& hw, const site<quantised::pool>& s) : hw_(hw), s_(s) {}

  // The most channels of which the MACs take no longer than the results of the kernels.
  constexpr std::int32_t block() const {
    return static_cast<std::int32_t>(hw_.mac_atomic_c) * hw::least_lanes;
  }
  constexpr std::int32_t channels(std::int32_t first) const {
    return std::min(block(), s_.in[0].shape.c - first);
  }
  // Every first or every second line, of channels from the given one on.
  constexpr layer::surface lines(std::int32_t channel, std::int32_t line) const {
    const net::shape in = s_.in[0].shape;
    return layer::every_line(s_.in[0], hw_.atom(), 2, channel, line, 0,
                             {channels(channel), in.h / 2, in.w});
  }
  constexpr std::optional<convolution_split> split_of(std::int32_t channel) const {
    const net::shape in = s_.in[0].shape, out = s_.out.shape;
    const std::int32_t n = channels(channel);
    const net::shape half{n, in.h / 2, in.w}, result{n, out.h, out.w};
    if (check_convolution(hw_, half, convolved_of(result, behind_), {}, false,
                          hw::precision::int8, true) != reason::none)
      return std::nullopt;
    const auto split =
        split_convolution(hw_, half, result, {}, false, hw::precision::int8, behind_);
    // Operands are cut at whole atoms.
    const auto lanes = static_cast<std::int32_t>(hw_.memory_atom);
    return split && (split->kernels >= n || split->kernels % lanes == 0) ? split : std::nullopt;
  }

  const hw::spec& hw_;
  const site<quantised::pool>& s_;
  pooled behind_{};
};

}  // namespace detail

// Pooling on PDP, cut into rectangles in which every window has the same kernel.

template <>
struct standard_lowering<quantised::pool> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::pool>& s) {
    require_support(hw, s);
    s.op.fit_in(s.in[0].precision, s.out.shape).value();
    if (const auto pairs = detail::line_pairs::of(hw, s)) return pairs->run(to);
    const auto& w = s.op.window;
    const net::shape in = s.in[0].shape, out = s.out.shape;
    const auto rows = pool_runs(s.op, in.h, out.h, w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom,
                                out.h);
    const auto columns = pool_runs(s.op, in.w, out.w, w.kernel_w, w.stride_w, w.pad_left,
                                   w.pad_right, widest_pass(w));
    const bytes atom = hw.atom();
    for (const auto& y : rows)
      for (const auto& x : columns) {
        layer::pdp pdp{
            .input = layer::part(s.in[0], atom, 0, y.input.first, x.input.first,
                                 {in.c, y.input.count, x.input.count}),
            .output = layer::part(s.out, atom, 0, y.first, x.first, {out.c, y.count, x.count}),
            .kind = s.op.kind,
            .window = {.kernel_h = y.kernel,
                       .kernel_w = x.kernel,
                       .stride_h = w.stride_h,
                       .stride_w = w.stride_w,
                       .pad_top = y.input.pad_before,
                       .pad_left = x.input.pad_before,
                       .pad_bottom = y.input.pad_after,
                       .pad_right = x.input.pad_after},
            .pad_value = s.op.pad};
        const bool whole = rows.size() == 1 && columns.size() == 1;
        if (whole) to.add(s.name, pdp);
        else to.add(label(s.name, "/y", y.first, "x", x.first), pdp);
      }
  }
};

// Means on CONV. Every channel has the same weights, so one kernel for each lane of an atom serves
// all surfaces, and a layer takes either
// * a line of the output for all surfaces: CDMA sees the lines of the window as surfaces, and the
//   surfaces as lines, by its strides; a mean over the whole input is one layer;
// * or a surface of the input with all its lines.
template <>
struct standard_lowering<quantised::average> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::average>& s) {
    require_support(hw, s);
    const net::shape in = s.in[0].shape, out = s.out.shape;
    const hw::precision p = s.out.precision;
    const std::int32_t lanes = lanes_of(hw, p), whole = in.c / lanes, rest = in.c % lanes;
    if (lines_fit(hw, s.op.window, in, out, p)) {
      for (std::int32_t y = 0; y < out.h; ++y) {
        if (whole > 0) add_line(hw, to, s, y, 0, whole, lanes);
        if (rest > 0) add_line(hw, to, s, y, whole, 1, rest);
      }
    } else {
      for (std::int32_t c = 0; c < in.c; c += lanes) {
        const std::int32_t count = std::min(lanes, in.c - c);
        const auto from = layer::part(s.in[0], hw.atom(), c, 0, 0, {count, in.h, in.w});
        const auto onto = layer::part(s.out, hw.atom(), c, 0, 0, {count, out.h, out.w});
        add(hw, to, s, label(s.name, "/c", c), from, onto, s.op.window);
      }
    }
  }

 private:
  static constexpr std::int32_t lanes_of(const hw::spec& hw, hw::precision p) {
    return static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  }

  static constexpr net::window line_window(net::window w) {
    w.kernel_h = w.stride_h = 1;
    w.pad_top = w.pad_bottom = 0;
    return w;
  }
  // Whether lines take fewer layers than surfaces, and can: their windows hang over no edge.
  static constexpr bool lines_fit(const hw::spec& hw, const net::window& w, net::shape in,
                                  net::shape out, hw::precision p) {
    const std::int32_t lanes = lanes_of(hw, p);
    const std::int32_t surfaces = (in.c + lanes - 1) / lanes;
    const net::shape one{w.kernel_h * lanes, surfaces, in.w}, means{lanes, surfaces, out.w};
    return w.pad_top == 0 && (out.h - 1) * w.stride_h + w.kernel_h <= in.h &&
           out.h * (in.c % lanes == 0 ? 1 : 2) <= surfaces &&
           check_convolution(hw, one, means, line_window(w), false, p) == reason::none;
  }
  // Line y of the means of `count` surfaces from the given one on, `kernels` channels of each.
  static constexpr void add_line(const hw::spec& hw, assembly& to,
                                 const site<quantised::average>& s, std::int32_t y,
                                 std::int32_t surface, std::int32_t count, std::int32_t kernels) {
    const bytes atom = hw.atom();
    const std::int32_t lanes = lanes_of(hw, s.out.precision);
    const auto& w = s.op.window;
    const auto turned = [&](const layer::surface& cube, std::int32_t line, net::shape shape) {
      auto result = layer::part(cube, atom, surface * lanes, line, 0, {kernels, 1, shape.w});
      std::swap(result.line_stride, result.surface_stride);
      result.shape = shape;
      result.size = layer::extent(result, atom);
      return result;
    };
    label name = s.name;
    if (s.out.shape.h > 1) name = label(name, "/y", y);
    if (surface > 0) name = label(name, "/c", surface * lanes);
    add(hw, to, s, name,
        turned(s.in[0], y * w.stride_h, {w.kernel_h * lanes, count, s.in[0].shape.w}),
        turned(s.out, y, {kernels, count, s.out.shape.w}), line_window(w));
  }
  // One kernel for each channel of `out`, which takes the elements of its lane.
  static constexpr void add(const hw::spec& hw, assembly& to, const site<quantised::average>& s,
                            const label& name, const layer::surface& in, const layer::surface& out,
                            const net::window& window) {
    const auto& op = s.op;
    const hw::precision p = s.out.precision;
    const std::int32_t lanes = lanes_of(hw, p);
    const std::ptrdiff_t apart = p == hw::precision::int8 ? 1 : 2;  // the weight is positive
    const auto split = *split_convolution(hw, in.shape, out.shape, window, false, p);
    const auto weights = [&op, lanes, apart](std::int32_t k, std::int32_t c, std::int32_t n,
                                             std::int32_t, std::int32_t, std::uint8_t* at) {
      for (std::int32_t i = 0; i < n; ++i)
        if ((c + i) % lanes == k) at[i * apart] = static_cast<std::uint8_t>(op.weight);
    };
    const auto operands = [&](std::int32_t) { return std::pair(op.bias, op.multiplier); };
    const auto keep = [&](label what, std::uint64_t size, const auto& write) {
      return to.keep(std::move(what), size, write);
    };
    convolve_gathered(hw, to, name, in, {}, out, one_phase(in.shape, out.shape, window), split,
                      {.bias_shift = op.bias_shift, .shift = op.shift, .pad = op.pad},
                      kernel_values{weights, operands, keep});
  }
};

}  // namespace nvdlac::lower
