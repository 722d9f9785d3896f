// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/lower/weights.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::lower {

// Lines (or columns) of an input of `size` that the outputs [first, first + count) read.
struct range {
  std::int32_t first = 0, count = 0;     // inside the input
  std::int32_t pad_before = 0, pad_after = 0;
};

constexpr range input_range(std::int32_t size, std::int32_t extent, std::int32_t stride,
                            std::int32_t pad, std::int32_t first, std::int32_t count) {
  const std::int32_t begin = first * stride - pad;
  const std::int32_t end = (first + count - 1) * stride - pad + extent;
  const std::int32_t from = std::max<std::int32_t>(begin, 0), to = std::min(end, size);
  return {from, to - from, from - begin, end - to};
}

// Rings of zero taps that a kernel needs above and below (left and right) to reach over a padding
// that is as large as itself: CONV pads by less than its kernel.
constexpr std::int32_t zero_rings(std::int32_t extent, std::int32_t dilation, std::int32_t before,
                                  std::int32_t after) {
  const auto missing = std::max(before, after) - extent + 1;
  return missing <= 0 ? 0 : (missing + dilation - 1) / dilation;
}

// The same convolution with a kernel that is larger than its padding; the new taps are zeros.
constexpr net::window widened(net::window w) {
  const auto h = zero_rings(w.extent_h(), w.dilation_h, w.pad_top, w.pad_bottom);
  const auto v = zero_rings(w.extent_w(), w.dilation_w, w.pad_left, w.pad_right);
  w.kernel_h += 2 * h;
  w.kernel_w += 2 * v;
  w.pad_top += h * w.dilation_h;
  w.pad_bottom += h * w.dilation_h;
  w.pad_left += v * w.dilation_w;
  w.pad_right += v * w.dilation_w;
  return w;
}

// How a convolution is cut so that each pass fits the CBUF.
struct convolution_split {
  std::int32_t rows = 1;     // of the output in one pass
  std::int32_t kernels = 1;  // of one pass
  banks data{1}, weights{1};
  entries slice{1};  // of the CBUF for each input line
};

// A pass keeps all its input lines in the CBUF and streams its weights through it, at least one
// kernel group at a time, two if there is room. Nothing fits: nullopt.
constexpr std::optional<convolution_split> split_convolution(const hw::spec& hw, net::shape in,
                                                             net::shape out, net::window window,
                                                             bool pixel,
                                                             hw::precision p =
                                                                 hw::precision::int8) {
  const range columns =
      input_range(in.w, window.extent_w(), window.stride_w, window.pad_left, 0, out.w);
  const auto c = static_cast<std::uint64_t>(in.c);
  const auto width = static_cast<std::uint64_t>(columns.count);
  const auto pads = static_cast<std::uint64_t>(columns.pad_before + columns.pad_after);
  const entries slice = pixel ? hw::image_entries_per_slice(hw, p, width + pads, c)
                              : hw::feature_entries_per_slice(hw, p, width, c);
  const auto elements = kernel_shape{out.c, in.c, window.kernel_h, window.kernel_w}.elements();
  const auto weights = [&](std::int32_t kernels) {
    return hw::weight_banks(
        hw, hw::weight_bytes(hw, p, static_cast<std::uint64_t>(kernels), elements));
  };
  // The most output lines whose input fits beside so many banks of weights; 0: none.
  const auto rows_beside = [&](banks used) -> std::int32_t {
    if (used.n >= hw.cbuf_banks) return 0;
    const auto lines = hw::slices_in(hw, banks{hw.cbuf_banks} - used, slice);
    for (std::int32_t passes = 1; passes <= out.h; ++passes) {
      const auto rows = static_cast<std::int32_t>(
          ceil_div(static_cast<std::uint64_t>(out.h), static_cast<std::uint64_t>(passes)));
      const auto most = std::min((rows - 1) * window.stride_h + window.extent_h(), in.h);
      if (static_cast<std::uint64_t>(most) <= lines) return rows;
    }
    return 0;
  };
  const auto make = [&](std::int32_t rows, std::int32_t kernels, banks used) {
    const auto lines = std::min((rows - 1) * window.stride_h + window.extent_h(), in.h);
    return convolution_split{
        rows, kernels, hw::data_banks(hw, slice, static_cast<std::uint64_t>(lines)), used, slice};
  };

  const auto group = static_cast<std::int32_t>(hw.kernel_group(p));
  const std::array least{weights(std::min(out.c, 2 * group)), weights(std::min(out.c, group))};
  for (const banks used : least)
    if (rows_beside(used) == out.h) {  // one pass; the weights take what the data leaves
      auto split = make(out.h, out.c, used);
      split.weights = std::min(weights(out.c), banks{hw.cbuf_banks} - split.data);
      return split;
    }
  for (const banks used : least)
    if (const auto rows = rows_beside(used); rows != 0) return make(rows, out.c, used);
  for (std::int32_t kernels = group / 2; kernels >= 1; kernels /= 2)
    if (const auto rows = rows_beside(weights(std::min(out.c, kernels))); rows != 0)
      return make(rows, std::min(out.c, kernels), weights(std::min(out.c, kernels)));
  return std::nullopt;
}

}  // namespace nvdlac::lower
