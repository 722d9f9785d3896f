// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

// A window's numbers along one dimension.
struct sliding {
  std::int64_t kernel, stride, before, after, dilation;

  constexpr std::int64_t extent() const { return (kernel - 1) * dilation + 1; }

  constexpr std::int64_t padded(std::int64_t size) const { return before + size + after; }

  // How often the window, which is not larger, fits on `size` elements and their padding.
  // ceil: once more if elements remain, unless that last window would start behind the elements,
  // in the padding after them (the rule of Caffe, and of ONNX's and PyTorch's ceil_mode).
  constexpr std::int64_t positions(std::int64_t size, bool ceil) const {
    const std::int64_t rest = padded(size) - extent();
    std::int64_t result = rest / stride + 1;
    if (ceil && rest % stride != 0 && result * stride < size + before) ++result;
    return result;
  }

  // The same windows with a padding after the elements that the last of `out` does not leave.
  constexpr sliding padded_for(std::int64_t size, std::int64_t out) const {
    sliding s = *this;
    s.after = std::max(after, (out - 1) * stride + extent() - size - before);
    return s;
  }
};

constexpr sliding vertical(const window& w) {
  return {w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom, w.dilation_h};
}
constexpr sliding horizontal(const window& w) {
  return {w.kernel_w, w.stride_w, w.pad_left, w.pad_right, w.dilation_w};
}

// The shape of what a window that slides over `in` gives.
constexpr fitting fit_window(const window& w, shape in, std::int32_t channels, bool ceil = false) {
  for (const auto& s : {vertical(w), horizontal(w)}) {
    if (s.kernel < 1 || s.stride < 1 || s.dilation < 1) return rule::window_with_a_number_below_1;
    if (s.before < 0 || s.after < 0) return rule::window_with_a_negative_padding;
    if (std::max({s.kernel, s.stride, s.dilation, s.before, s.after}) > 65535)
      return rule::window_with_a_number_above_65535;
  }
  for (const auto& [s, size] : {std::pair{vertical(w), in.h}, {horizontal(w), in.w}})
    if (s.extent() > s.padded(size))
      return {rule::window_larger_than_the_padded_input, {s.extent(), s.padded(size)}};
  return fit_shape(channels, vertical(w).positions(in.h, ceil),
                   horizontal(w).positions(in.w, ceil));
}

// The same windows with padding behind the elements that the last of `out` do not leave.
constexpr window padded_for(window w, shape in, shape out) {
  w.pad_bottom = static_cast<std::int32_t>(vertical(w).padded_for(in.h, out.h).after);
  w.pad_right = static_cast<std::int32_t>(horizontal(w).padded_for(in.w, out.w).after);
  return w;
}

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

// The sums of products behind every convolution, for the float and the integer reference.
namespace sliding_sum_detail {

// Sums run in float over at most `chunk` products, then in double. Products of int8 are at most
// 2^14, so that 2^10 of them are exact in float: the same code is the exact integer reference.
inline constexpr std::size_t chunk = 1024;
inline constexpr std::size_t columns = 8;  // output positions computed together

// So many numbers side by side: a vector of g++ and clang, quick at every level of optimisation.
using lanes [[gnu::vector_size(columns * sizeof(float))]] = float;

inline void load(lanes& x, const float* from) { std::memcpy(&x, from, sizeof x); }

// sums[k][p] of `Rows` kernels of `depth` weights with a panel [depth][columns].
template <std::size_t Rows>
void block(const float* weights, const float* panel, std::size_t depth,
           std::array<std::array<double, columns>, Rows>& sums) {
  sums = {};
  for (std::size_t start = 0; start < depth; start += chunk) {
    lanes partial[Rows] = {}, x;
    const std::size_t end = std::min(depth, start + chunk);
    for (std::size_t i = start; i < end; ++i) {
      load(x, panel + i * columns);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < Rows; ++k) partial[k] += weights[k * depth + i] * x;
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < Rows; ++k)
      for (std::size_t p = 0; p < columns; ++p) sums[k][p] += static_cast<double>(partial[k][p]);
  }
}

// The sum for a single output position.
inline double dot(const float* a, const float* b, std::size_t depth) {
  double sum = 0;
  for (std::size_t start = 0; start < depth; start += chunk) {
    const std::size_t end = std::min(depth, start + chunk);
    lanes partial{}, u, v;
    std::size_t i = start;
    for (; i + columns <= end; i += columns) {
      load(u, a + i), load(v, b + i);
      partial += u * v;
    }
    float rest = 0;
    for (; i < end; ++i) rest += a[i] * b[i];
    for (std::size_t p = 0; p < columns; ++p) sum += static_cast<double>(partial[p]);
    sum += static_cast<double>(rest);
  }
  return sum;
}

}  // namespace sliding_sum_detail

// Calls store(k, position, sum) for every kernel k and every output position y * out.w + x, with
// sum = over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][y * stride_h - pad_top +
// r * dilation_h][x * stride_w - pad_left + s * dilation_w], elements outside the input being
// `pad`.
// weights: [out.c][in.c / groups][kernel_h][kernel_w]. For T = int8 the sums are exact.
template <class T, class Store>
void sliding_sums(const window& w, shape in, const T* x, shape out, std::int32_t groups,
                  const T* weights, Store store, T pad = T{}) {
  namespace d = sliding_sum_detail;
  const auto group_c = in.c / groups, group_k = out.c / groups;
  const auto depth = static_cast<std::size_t>(group_c) * static_cast<std::size_t>(w.kernel_h) *
                     static_cast<std::size_t>(w.kernel_w);
  const auto area = static_cast<std::size_t>(out.h) * static_cast<std::size_t>(out.w);
  const std::size_t width = area == 1 ? 1 : d::columns;
  // Panels of as many positions at a time as stay within about 8 MB.
  const std::size_t tile = std::max<std::size_t>((std::size_t{1} << 21) / depth, 1) * width;
  std::vector<float> panels, rows;

  // The inputs of the positions from `first` on, [depth][width].
  const auto gather = [&](std::int32_t group, std::size_t first, float* panel) {
    for (std::size_t p = 0; p < width; ++p) {
      const auto position = static_cast<std::int32_t>(std::min(first + p, area - 1));
      const std::int32_t top = position / out.w * w.stride_h - w.pad_top;
      const std::int32_t left = position % out.w * w.stride_w - w.pad_left;
      float* to = panel + p;
      for (std::int32_t c = group * group_c; c < (group + 1) * group_c; ++c)
        for (std::int32_t r = 0; r < w.kernel_h; ++r) {
          const std::int32_t y = top + r * w.dilation_h;
          const bool inside = y >= 0 && y < in.h;
          const T* line = inside ? x + in.at(c, y, 0) : nullptr;
          for (std::int32_t s = 0; s < w.kernel_w; ++s, to += width) {
            const std::int32_t column = left + s * w.dilation_w;
            const bool is_pad = !inside || column < 0 || column >= in.w;
            *to = static_cast<float>(is_pad ? pad : line[column]);
          }
        }
    }
  };
  const auto kernels = [&]<std::size_t Rows>(std::int32_t k, std::size_t first, std::size_t count) {
    const T* from = weights + static_cast<std::size_t>(k) * depth;
    rows.resize(Rows * depth);
    std::transform(from, from + Rows * depth, rows.begin(),
                   [](T v) { return static_cast<float>(v); });
    for (std::size_t start = 0; start < count; start += width) {
      const float* panel = panels.data() + start * depth;
      if (width == 1) {
        for (std::size_t i = 0; i < Rows; ++i)
          store(static_cast<std::size_t>(k) + i, first,
                d::dot(rows.data() + i * depth, panel, depth));
        continue;
      }
      std::array<std::array<double, d::columns>, Rows> sums;
      d::block<Rows>(rows.data(), panel, depth, sums);
      for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t p = 0; p < std::min(width, count - start); ++p)
          store(static_cast<std::size_t>(k) + i, first + start + p, sums[i][p]);
    }
  };

  for (std::int32_t group = 0; group < groups; ++group)
    for (std::size_t first = 0; first < area; first += tile) {
      const std::size_t count = std::min(tile, area - first);
      panels.resize((count + width - 1) / width * width * depth);
      for (std::size_t start = 0; start < count; start += width)
        gather(group, first + start, panels.data() + start * depth);
      std::int32_t k = group * group_k;
      for (; k + 4 <= (group + 1) * group_k; k += 4)
        kernels.template operator()<4>(k, first, count);
      for (; k < (group + 1) * group_k; ++k) kernels.template operator()<1>(k, first, count);
    }
}

}  // namespace nvdlac::net
