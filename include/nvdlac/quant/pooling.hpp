// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poolings as sequences of NVDLA poolings, whose windows are at most 8 x 8.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/net/integer/operators.hpp>

namespace nvdlac::quant {

struct pool_steps {
  std::vector<net::integer::pool> steps{};
  // Real value of an output integer over that of an input integer: above 1 where an average counts
  // zeros of a padding that the network does not have.
  double factor = 1;
};

namespace detail {

inline constexpr std::int32_t highest_pool_kernel = 8;

// One side of a pooling that is applied in several steps, the outermost first.
struct pool_side {
  std::vector<std::int32_t> kernel{}, stride{}, pad_before{}, pad_after{};

  void push(std::int32_t k, std::int32_t s, std::int32_t before, std::int32_t after) {
    kernel.push_back(k), stride.push_back(s), pad_before.push_back(before), pad_after.push_back(after);
  }
};

// All of `size` lines become one: equal parts of at most 8 lines (the last one padded), then the
// same with the parts.
inline pool_side whole_side(std::int32_t size, double& factor) {
  pool_side side;
  do {
    const std::int32_t parts = (size + highest_pool_kernel - 1) / highest_pool_kernel;
    const std::int32_t kernel = (size + parts - 1) / parts;
    side.push(kernel, kernel, 0, parts * kernel - size);
    factor *= static_cast<double>(parts * kernel) / size;
    size = parts;
  } while (size > 1);
  return side;
}

// A maximum over k > 8 lines: maxima over 8 lines at stride 1, then over those that remain.
inline pool_side maximum_side(std::int32_t k, std::int32_t stride, std::int32_t before,
                              std::int32_t after) {
  pool_side side;
  for (; k > highest_pool_kernel; k -= highest_pool_kernel - 1, before = after = 0)
    side.push(highest_pool_kernel, 1, before, after);
  side.push(k, stride, before, after);
  return side;
}

inline std::int32_t rounded_up_pad(std::int32_t size, std::int32_t k, std::int32_t stride,
                                   std::int32_t before, std::int32_t after, std::int32_t out) {
  return std::max(after, (out - 1) * stride + k - size - before);
}

}  // namespace detail

// What `pool` over an input of shape `in`, giving shape `out`, is on the hardware. Throws when a
// window above 8 x 8 cannot be split.
inline pool_steps steps_of(const net::pool& pool, net::shape in, net::shape out,
                           const std::string& layer) {
  constexpr std::int32_t limit = detail::highest_pool_kernel;
  net::window w = pool.window;
  if (pool.global) w = {.kernel_h = in.h, .kernel_w = in.w};
  const bool padded = w.pad_top || w.pad_left || w.pad_bottom || w.pad_right;
  if (w.kernel_h <= limit && w.kernel_w <= limit)
    return {.steps = {{.kind = pool.kind, .window = w, .ceil = pool.ceil && !pool.global,
                       .count_include_pad = pool.count_include_pad}}};
  const bool whole = out.h == 1 && out.w == 1 && !padded && w.kernel_h >= in.h && w.kernel_w >= in.w;
  const bool average = pool.kind == net::pool_kind::average;
  pool_steps result;
  detail::pool_side rows, columns;
  if (whole) {
    rows = detail::whole_side(in.h, result.factor);
    columns = detail::whole_side(in.w, result.factor);
    if (!average) result.factor = 1;
  } else if (!average) {
    const std::int32_t bottom = detail::rounded_up_pad(in.h, w.kernel_h, w.stride_h, w.pad_top,
                                                       w.pad_bottom, out.h);
    const std::int32_t right = detail::rounded_up_pad(in.w, w.kernel_w, w.stride_w, w.pad_left,
                                                      w.pad_right, out.w);
    if (std::max({w.pad_top, w.pad_left, bottom, right}) >= limit)
      throw error({.layer = layer,
                   .reason = text("maximum pooling over ", w.kernel_h, "x", w.kernel_w,
                                  " with padding of 8 or more"),
                   .remedy = "windows above 8x8 may be padded by at most 7"});
    rows = detail::maximum_side(w.kernel_h, w.stride_h, w.pad_top, bottom);
    columns = detail::maximum_side(w.kernel_w, w.stride_w, w.pad_left, right);
  } else {
    throw error({.layer = layer,
                 .reason = text("average pooling over ", w.kernel_h, "x", w.kernel_w),
                 .remedy = "windows above 8x8 are supported where they cover the whole input"});
  }
  const std::size_t steps = std::max(rows.kernel.size(), columns.kernel.size());
  const auto at = [](const std::vector<std::int32_t>& v, std::size_t i, std::int32_t none) {
    return i < v.size() ? v[i] : none;
  };
  for (std::size_t i = 0; i < steps; ++i)
    result.steps.push_back(
        {.kind = pool.kind,
         .window = {.kernel_h = at(rows.kernel, i, 1), .kernel_w = at(columns.kernel, i, 1),
                    .stride_h = at(rows.stride, i, 1), .stride_w = at(columns.stride, i, 1),
                    .pad_top = at(rows.pad_before, i, 0), .pad_left = at(columns.pad_before, i, 0),
                    .pad_bottom = at(rows.pad_after, i, 0), .pad_right = at(columns.pad_after, i, 0)},
         .ceil = false, .count_include_pad = average});
  return result;
}

}  // namespace nvdlac::quant
