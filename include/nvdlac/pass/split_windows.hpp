// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/pass/line_moves.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Convolutions and poolings whose windows or strides no engine has, as ones that they have:
// * taps of kernels that meet padding alone, wherever the kernel stands, are left out;
// * where taps are further apart in lines than 32, or stand too far in the padding, every n-th line
//   of the result is computed of every n-th line of the input, of which strides tell;
// * the elements of windows that are further apart than 8, or than 32 from each other, are copied
//   side by side if they are few; else windows are computed at a divisor of their stride, and the
//   wanted results kept;
// * paddings beyond the registers are copied around the input;
// * kernels above 32 x 32, and fully connected layers over larger inputs, are sums of convolutions
//   by their parts, each rounded to its own scale;
// * averages over more than 8 x 8 are convolutions, one channel each.
struct split_windows {
  static constexpr std::string_view name = "split_windows";
  static constexpr std::string_view description =
      "compute windows and strides that the hardware lacks by smaller ones";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        if (const auto* p = as<net::pool>(g, n)) pool(g, r, n, net::pool(*p));
        if (as<net::fully_connected>(g, n) != nullptr) widen(g, r, n);
        if (as_alone<net::convolution>(g, n) != nullptr) convolve(g, r, n);
      }
      r.finish();
    }
  }

 private:
  // Element (c, y, x) of the result is element (c, row(y), column(x)) of the input, or 0 outside.
  template <class Row, class Column>
  static net::move moved(net::shape in, net::shape to, const Row& row, const Column& column) {
    std::vector<std::int32_t> from;
    for (std::int32_t c = 0; c < to.c; ++c)
      for (std::int32_t y = 0; y < to.h; ++y)
        for (std::int32_t x = 0; x < to.w; ++x) {
          const net::position p{c, row(y), column(x)};
          from.push_back(p.in(in) ? static_cast<std::int32_t>(in.at(p.c, p.y, p.x)) : -1);
        }
    return {.target = to, .boxes = net::find_boxes(from, to, in)};
  }

  // The part of the input from this line and column on.
  static net::move cut(net::shape to, std::int32_t row, std::int32_t column);

  // Every keep-th line and column of what `from` gives becomes what n gives.
  template <class Graph>
  static void keep(Graph& g, rewriter<Graph>& r, typename Graph::id n, typename Graph::id from,
                   std::int64_t rows, std::int64_t columns) {
    g[n].op = moved(g[from].shape, g[n].shape,
                    [&](std::int32_t y) { return static_cast<std::int32_t>(y * rows); },
                    [&](std::int32_t x) { return static_cast<std::int32_t>(x * columns); });
    r.set_inputs(n, {from});
  }

  template <class Graph>
  static void convolve(Graph& g, rewriter<Graph>& r, typename Graph::id n) {
    auto from = g.inputs(n).front();
    net::shape in = g[from].shape;
    leave_idle_taps_out(*as<net::convolution>(g, n), in);
    if (compute_in_phases(g, r, n)) return;
    const auto axes = pass::convolution_axes::of(as<net::convolution>(g, n)->window, in);
    if (axes.whole()) return;
    const net::convolution whole = *as<net::convolution>(g, n);  // g grows
    const std::string base = g[n].name;
    if (axes.copied()) {
      const auto source = [](const pass::convolution_axis& a, net::sliding s) {
        return [&a, s](std::int32_t i) { return static_cast<std::int32_t>(a.source(s, i)); };
      };
      const net::shape to{in.c, static_cast<std::int32_t>(axes.h.size),
                          static_cast<std::int32_t>(axes.w.size)};
      from = r.add(base + "/copy",
                   moved(in, to, source(axes.h, net::vertical(whole.window)),
                         source(axes.w, net::horizontal(whole.window))),
                   {from});
      in = to;
    }
    const bool kept = axes.h.keep != 1 || axes.w.keep != 1;
    std::vector<std::pair<net::convolution, typename Graph::id>> parts;
    for (std::int64_t i = 0; i < axes.h.parts; ++i)
      for (std::int64_t j = 0; j < axes.w.parts; ++j) {
        const net::range rows = axes.h.read_by(i), columns = axes.w.read_by(j);
        if (rows.count < 1 || columns.count < 1) continue;  // it sees nothing but padding
        const auto piece = axes.piece(in.c, i, j);
        auto source = from;
        if (piece != in)
          source = r.add(base + "/piece", cut(piece, rows.first, columns.first), {from});
        parts.emplace_back(part(whole, axes, i, j), source);
      }
    parts.front().first.bias = whole.bias;
    // The node itself becomes the last step, so that its name and its readers stay.
    const bool alone = parts.size() == 1;
    if (alone) parts.front().first.relu = whole.relu;
    if (alone && !kept) {
      g[n].op = parts.front().first;
      return r.set_inputs(n, {parts.front().second});
    }
    std::vector<typename Graph::id> sums;
    for (auto& [op, source] : parts)
      sums.push_back(r.add(base + "/part", std::move(op), {source}));
    auto sum = sums.front();
    for (std::size_t i = 1; i < sums.size(); ++i) {
      const net::add op{.relu = whole.relu && i + 1 == sums.size()};
      if (i + 1 == sums.size() && !kept) {
        g[n].op = op;
        return r.set_inputs(n, {sum, sums[i]});
      }
      sum = r.add(base + "/sum", op, {sum, sums[i]});
    }
    keep(g, r, n, sum, axes.h.keep, axes.w.keep);
  }

  // Whether lines of the result are computed in phases, each by a convolution of its own.
  template <class Graph>
  static bool compute_in_phases(Graph& g, rewriter<Graph>& r, typename Graph::id n) {
    const auto from = g.inputs(n).front();
    const auto far = pass::far_lines::of(as<net::convolution>(g, n)->window, g[from].shape);
    if (far.phases == 1) return false;
    const net::convolution whole = *as<net::convolution>(g, n);  // g grows
    const net::shape out = g[n].shape;
    std::vector<typename Graph::id> parts;
    for (std::int32_t i = 0; i < far.phases; ++i) {
      const auto phase = far.at(i);
      const auto lines = r.add(g[n].name + "/lines",
                               every_line(far.read_by(phase), phase.from, far.phases), {from});
      net::convolution near = whole;
      near.window = far.window_of(phase);
      parts.push_back(r.add(g[n].name + "/phase", std::move(near), {lines}));
    }
    g[n].op = lines_in_turn(out, far.phases);
    r.set_inputs(n, parts);
    for (const auto part : parts) convolve(g, r, part);
    return true;
  }

  // A fully connected layer is a convolution whose window is its input.
  template <class Graph>
  static void widen(Graph& g, rewriter<Graph>& r, typename Graph::id n) {
    const net::shape in = g[g.inputs(n).front()].shape;
    if (std::max(in.h, in.w) <= hw::any_map.convolution.kernel) return;
    auto& whole = *as<net::fully_connected>(g, n);
    net::convolution c{.kernels = whole.outputs,
                       .window = {.kernel_h = in.h, .kernel_w = in.w},
                       .weights = std::move(whole.weights),
                       .bias = std::move(whole.bias),
                       .relu = whole.relu};
    g[n].op = std::move(c);
    convolve(g, r, n);
  }

  // The weights of some taps.
  static std::vector<float> weights_of(const net::convolution& whole, pass::tap_range rows,
                                       pass::tap_range columns);
  static net::convolution part(const net::convolution& whole, const pass::convolution_axes& axes,
                               std::int64_t i, std::int64_t j);
  static void leave_idle_taps_out(net::convolution& c, net::shape in);

  template <class Graph>
  static void pool(Graph& g, rewriter<Graph>& r, typename Graph::id n, const net::pool& whole) {
    if (whole.global) return;
    const auto& w = whole.window;
    if (whole.kind == net::pool_kind::average) {
      if (pass::is_convolved(whole, g[g.inputs(n).front()].shape)) average(g, r, n, whole);
      return;
    }
    const std::int64_t rows = w.stride_h <= hw::any_map.pdp.stride ? 1
                              : w.stride_h / pass::engine_stride(w.stride_h);
    const std::int64_t columns = w.stride_w <= hw::any_map.pdp.stride ? 1
                                 : w.stride_w / pass::engine_stride(w.stride_w);
    if (rows == 1 && columns == 1) return;
    const auto from = g.inputs(n).front();
    const net::shape in = g[from].shape, out = g[n].shape;
    // Positions that `ceil` adds need padding at the smaller stride.
    net::pool dense{.kind = whole.kind, .window = net::padded_for(w, in, out)};
    dense.window.stride_h = static_cast<std::int32_t>(w.stride_h / rows);
    dense.window.stride_w = static_cast<std::int32_t>(w.stride_w / columns);
    const auto all = r.add(g[n].name + "/all", dense, {from});
    keep(g, r, n, all, rows, columns);
  }

  // A convolution by 1 / (elements of a window), and where windows count fewer, a factor.
  template <class Graph>
  static void average(Graph& g, rewriter<Graph>& r, typename Graph::id n, const net::pool& whole) {
    const auto from = g.inputs(n).front();
    const net::shape in = g[from].shape, out = g[n].shape;
    const net::sliding v = net::vertical(whole.window), h = net::horizontal(whole.window);
    const auto area = static_cast<std::size_t>(v.kernel * h.kernel);
    net::convolution mean = pass::convolution_of(whole, in);
    mean.weights.assign(static_cast<std::size_t>(in.c) * area, 1.0F / static_cast<float>(area));

    const auto counted = [&](net::sliding s, std::int32_t size, std::int32_t position) {
      const auto span = net::pool_span::at(s, size, position);
      return whole.count_include_pad ? span.padded : span.end - span.begin;
    };
    net::float_tensor factors{out};
    bool uniform = true;
    for (std::int32_t c = 0; c < out.c; ++c)
      for (std::int32_t y = 0; y < out.h; ++y)
        for (std::int32_t x = 0; x < out.w; ++x) {
          const double elements =
              static_cast<double>(counted(v, in.h, y)) * counted(h, in.w, x);
          factors.at(c, y, x) = static_cast<float>(static_cast<double>(area) / elements);
          uniform = uniform && factors.at(c, y, x) == 1.0F;
        }
    if (uniform) {
      g[n].op = std::move(mean);
      return convolve(g, r, n);
    }
    const auto sums = r.add(g[n].name + "/mean", std::move(mean), {from});
    const auto constant = r.add(g[n].name + "/factors", net::constant{std::move(factors)}, {});
    g[n].op = net::multiply{};
    r.set_inputs(n, {sums, constant});
    convolve(g, r, sums);
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/split_windows.ipp>
#endif
