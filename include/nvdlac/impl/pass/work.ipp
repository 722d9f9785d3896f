// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/deconvolution_phases.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/pass/work.hpp>

namespace nvdlac::pass::detail {

NVDLAC_IMPL work of_window(const net::window& whole, net::shape in, net::shape out,
                           std::uint64_t each) {
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

NVDLAC_IMPL work of_pool(const net::pool& op, net::shape in, net::shape out) {
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

NVDLAC_IMPL work of_phases(const net::deconvolution& op, net::shape in, net::shape out,
                           std::uint64_t most_parts) {
  work result{.operations = out.size(),
              .parts = size_of(std::min(op.window.stride_h, out.h)) *
                       size_of(std::min(op.window.stride_w, out.w))};
  if (result.parts > most_parts) return result;
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

}  // namespace nvdlac::pass::detail
