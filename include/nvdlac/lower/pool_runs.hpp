// SPDX-License-Identifier: Apache-2.0
#pragma once
// The windows of a pooling as PDP takes them.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <nvdlac/lower/pooled.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/pool.hpp>

namespace nvdlac::lower {

// Outputs [first, first + count) of one dimension, pooled with one kernel and one padding.
struct pool_run {
  std::int32_t first = 0, count = 1, kernel = 1;
  bool whole = true;  // no window is clipped
  net::range input{};
};

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

// A pooling behind a convolution; nullopt: its windows have several kernels.
constexpr std::optional<pooled> pooled_by(const quantised::pool& op, net::shape in,
                                          net::shape out) {
  constexpr auto any = std::numeric_limits<std::int32_t>::max();
  net::window w = op.window;
  const auto rows = pool_runs(op, in.h, out.h, w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom,
                              any);
  const auto columns = pool_runs(op, in.w, out.w, w.kernel_w, w.stride_w, w.pad_left,
                                 w.pad_right, any);
  if (rows.size() != 1 || columns.size() != 1) return std::nullopt;
  const auto &y = rows[0], &x = columns[0];
  w.kernel_h = y.kernel;
  w.kernel_w = x.kernel;
  w.pad_top = y.input.pad_before;
  w.pad_bottom = y.input.pad_after;
  w.pad_left = x.input.pad_before;
  w.pad_right = x.input.pad_after;
  return pooled{.kind = op.kind, .window = w, .pad_value = op.pad, .height = y.input.count,
                .width = x.input.count};
}

}  // namespace nvdlac::lower
