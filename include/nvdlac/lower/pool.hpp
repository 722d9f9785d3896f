// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pooling on PDP, cut into rectangles in which every window has the same kernel.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support_integer.hpp>

namespace nvdlac::lower {

// Outputs [first, first + count) of one dimension, pooled with one kernel and one padding.
struct pool_run {
  std::int32_t first = 0, count = 1, kernel = 1;
  bool whole = true;  // no window is clipped
  net::range input{};
};

// The widest output that PDP's line buffers hold: 8 buffers of 16 atoms, shared by the windows that
// overlap a line (open NVDLA's PDP; the same number of columns in every configuration).
constexpr std::int32_t pool_width_limit(std::int32_t kernel, std::int32_t stride) {
  constexpr std::array overlap{1, 1, 2, 4, 4, 8, 8, 8, 8};
  return 128 / overlap[static_cast<std::size_t>((kernel + stride - 1) / stride)];
}

// Cuts one dimension. A maximum ignores padding, so its windows are never clipped; an average
// divides by its whole kernel, so windows that are clipped become runs of their own.
constexpr std::vector<pool_run> pool_runs(const quantised::pool& op, std::int32_t size,
                                          std::int32_t outputs, std::int32_t kernel,
                                          std::int32_t stride, std::int32_t pad_before,
                                          std::int32_t pad_after, std::int32_t longest) {
  const bool average = op.kind == net::pool_kind::average;
  const std::int32_t low = op.count_include_pad ? -pad_before : 0;
  const std::int32_t high = op.count_include_pad ? size + pad_after : size;
  std::vector<pool_run> runs;
  for (std::int32_t o = 0; o < outputs; ++o) {
    const std::int32_t begin = o * stride - pad_before, end = begin + kernel;
    if (!average || (begin >= low && end <= high)) {
      if (!runs.empty() && runs.back().whole && runs.back().count < longest)
        ++runs.back().count;
      else
        runs.push_back({.first = o, .kernel = kernel});
      auto& run = runs.back();
      run.input = net::input_range(size, kernel, stride, pad_before, run.first, run.count);
    } else {
      const std::int32_t from = std::max(begin, low), to = std::min(end, high);
      runs.push_back({.first = o,
                      .kernel = to - from,
                      .whole = false,
                      .input = net::input_range(size, to - from, 1, -from, 0, 1)});
    }
  }
  return runs;
}

template <class Hw>
struct lowering<quantised::pool, Hw> {
  static constexpr void run(assembly& to, const site<quantised::pool>& s) {
    require_support<Hw>(s);
    s.op.fit_in(s.in[0].precision, s.out.shape).value();
    const auto& w = s.op.window;
    const net::shape in = s.in[0].shape, out = s.out.shape;
    const auto rows = pool_runs(s.op, in.h, out.h, w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom,
                                out.h);
    const auto columns = pool_runs(s.op, in.w, out.w, w.kernel_w, w.stride_w, w.pad_left,
                                   w.pad_right, pool_width_limit(w.kernel_h, w.stride_h));
    const bytes atom = Hw::spec.atom();
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

}  // namespace nvdlac::lower
