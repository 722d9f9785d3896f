// SPDX-License-Identifier: Apache-2.0
#pragma once
// The work that an operator takes for one picture, by the way that nvdlac computes it.
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/deconvolution_phases.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>

namespace nvdlac::pass {

// The work of an operator for one picture.
struct work {
  std::uint64_t operations = 0;  // multiplications, comparisons and copies
  std::uint64_t parts = 1;       // smaller layers that it becomes
  std::uint64_t moved = 0;       // elements that are moved one by one for it
};

namespace detail {

constexpr std::uint64_t size_of(std::int64_t n) { return static_cast<std::uint64_t>(n); }

// Taps that meet padding alone are left out, strides beyond the engine's are computed at a divisor
// of theirs, and large kernels in parts. `each`: the operations of a position with all taps.
inline work of_window(const net::window& whole, net::shape in, net::shape out, std::uint64_t each) {
  const net::window w = with_busy_taps(whole, in);
  each = each / size_of(net::product({whole.kernel_h, whole.kernel_w})) *
         size_of(net::product({w.kernel_h, w.kernel_w}));
  const auto axes = convolution_axes::of(w, in);
  const auto positions = [](const convolution_axis& a) {
    return size_of(std::max(a.positions(), a.out));
  };
  work result{.operations = positions(axes.h) * positions(axes.w) * each,
              .parts = size_of(axes.h.parts * axes.w.parts)};
  if (axes.copied())
    result.moved = size_of(net::product({in.c, axes.h.size, axes.w.size}));
  if (axes.h.keep != 1 || axes.w.keep != 1) result.moved += out.size();
  return result;
}

inline work of_pool(const net::pool& op, net::shape in, net::shape out) {
  const net::window w = padded_for(op.window_on(in), in, out);
  if (is_convolved(op, in))
    return of_window(w, in, out, size_of(net::product({in.c, w.kernel_h, w.kernel_w})));
  const auto positions = [](std::int32_t n, std::int32_t stride, std::int32_t engine) {
    return size_of(n) * size_of(std::max(stride / engine, 1));
  };
  return {.operations =
              size_of(in.c) *
              positions(out.h, w.stride_h, static_cast<std::int32_t>(engine_stride(w.stride_h))) *
              positions(out.w, w.stride_w, static_cast<std::int32_t>(engine_stride(w.stride_w))) *
              size_of(std::min(w.kernel_h, in.h)) * size_of(std::min(w.kernel_w, in.w))};
}

// A convolution for each phase; too many are only counted.
inline work of_phases(const net::deconvolution& op, net::shape in, net::shape out) {
  work result{.operations = out.size(),
              .parts = size_of(std::min(op.window.stride_h, out.h)) *
                       size_of(std::min(op.window.stride_w, out.w))};
  if (result.parts > budget::in_force().parts) return result;
  result.parts = 0;
  for (const auto& phase : phases_of(op, in)) {
    const net::window w = phase.window(in);
    const auto each = size_of(net::product({op.kernels, in.c / op.groups, w.kernel_h, w.kernel_w}));
    const net::shape given{op.kernels, phase.rows.count + phase.rows.skip,
                      phase.columns.count + phase.columns.skip};
    const auto of = of_window(w, in, given, each);
    result.operations += of.operations;
    result.parts += of.parts;
    result.moved = std::max(result.moved, of.moved);
  }
  return result;
}

}  // namespace detail

template <net::operation Op>
work work_of(const Op& op, std::span<const net::shape> in, net::shape out) {
  using detail::size_of;
  const auto kernels_apart = [](std::int32_t n) {
    return size_of((n + hw::conv_kernels - 1) / hw::conv_kernels);
  };
  if constexpr (std::is_same_v<Op, net::convolution>) {
    auto w = detail::of_window(op.window, in[0], out, size_of(op.weight_count(in[0])));
    w.parts *= kernels_apart(op.kernels);
    return w;
  } else if constexpr (std::is_same_v<Op, net::deconvolution>) {
    return detail::of_phases(op, in[0], out);
  } else if constexpr (std::is_same_v<Op, net::fully_connected>) {
    auto w = detail::of_window({.kernel_h = in[0].h, .kernel_w = in[0].w}, in[0], out,
                               size_of(op.outputs) * in[0].size());
    w.parts *= kernels_apart(op.outputs);
    return w;
  } else if constexpr (std::is_same_v<Op, net::pool>) {
    return detail::of_pool(op, in[0], out);
  } else if constexpr (std::is_same_v<Op, net::lrn>) {
    return {.operations = out.size() * size_of(std::min(op.local_size, in[0].c))};
  } else {
    std::uint64_t elements = out.size();
    for (const net::shape s : in) elements += s.size();
    return {.operations = elements};
  }
}

}  // namespace nvdlac::pass
