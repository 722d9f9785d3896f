// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sums of products behind every convolution, for the float and the integer reference.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <nvdlac/net/sum_blocks.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

namespace sliding_sum_detail {

// Sums run in float over at most `chunk` products, then in double. Products of int8 are at most
// 2^14, so that 2^10 of them are exact in float: the same code is the exact integer reference.
inline constexpr std::size_t chunk = 1024;

// Vectors of g++ and clang, quick at every level of optimisation, of 16 bytes: what all processors
// have.
using floats [[gnu::vector_size(4 * sizeof(float))]] = float;
using doubles [[gnu::vector_size(2 * sizeof(double))]] = double;
template <class Vector, class T>
[[gnu::always_inline]] inline void load(Vector& to, const T* from) {
  std::memcpy(&to, from, sizeof to);
}
template <class Vector, class T>
[[gnu::always_inline]] inline void store(T* to, const Vector& from) {
  std::memcpy(to, &from, sizeof from);
}

// Four floats as doubles, and back.
struct widened {
  doubles low, high;

  explicit widened(const float* from);
  explicit widened(const double* from) {
    load(low, from);
    load(high, from + 2);
  }
  void store_to(double* to) const {
    store(to, low);
    store(to + 2, high);
  }
  void narrow_to(float* to) const;
  widened& operator+=(const widened& o);
  void add(double x) {
    low += x;
    high += x;
  }
  void make_positive();
};

// The sum for a single output position, as eight sums side by side.
double dot(const float* a, const float* b, std::size_t depth);

// The largest power of two up to `most` that is not above n.
constexpr std::size_t rows_of_block(std::size_t n, std::size_t most) {
  return std::min(std::bit_floor(n), most);
}

// [rows][depth] as [depth][rows].
template <class T>
void pack(const T* from, std::size_t rows, std::size_t depth, float* to) {
  std::size_t start = 0;
  if constexpr (std::is_same_v<T, float>)
    for (; rows % 4 == 0 && start + 4 <= depth; start += 4)
      for (std::size_t k = 0; k < rows; k += 4) {
        floats a, b, c, d;
        const T* row = from + k * depth + start;
        load(a, row);
        load(b, row + depth);
        load(c, row + 2 * depth);
        load(d, row + 3 * depth);
        const auto ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        const auto cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const auto high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const auto high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        float* column = to + start * rows + k;
        store(column, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
        store(column + rows, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
        store(column + 2 * rows, __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5));
        store(column + 3 * rows, __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7));
      }
  for (std::size_t i = start; i < depth; ++i)
    for (std::size_t k = 0; k < rows; ++k)
      to[i * rows + k] = static_cast<float>(from[k * depth + i]);
}

// sums[k][p] of packed weights with a panel [depth][columns].
void sum_up(const sum_blocks& by, std::size_t rows, const float* weights, const float* panel,
            std::size_t depth, std::span<double> sums);

// Neighbouring positions of one line of the output.
struct stretch {
  std::int32_t line, column;
  std::int32_t offset, count;  // from the first position that is looked at
};

void stretches_of(std::size_t first, std::size_t count, std::int32_t width,
                  std::vector<stretch>& found);

// The inputs of neighbouring positions, as the blocks of sums read them.
template <class T>
struct gathering {
  const window& w;
  shape in{};
  const T* x = nullptr;
  std::int32_t channels = 0;  // of a group
  std::int32_t out_w = 0;
  float pad = 0;
  std::size_t width = 0;  // positions of a panel
  std::vector<stretch> stretches{};

  // Gathers the inputs of `positions` from `first` on, [depth][width].
  void operator()(std::int32_t group, std::size_t first, std::size_t positions, float* panel) {
    const auto count = [](std::int32_t n) { return static_cast<std::size_t>(n); };
    stretches_of(first, positions, out_w, stretches);
    for (const auto& at : stretches)
      for (std::int32_t s = 0; s < w.kernel_w; ++s) {
        // Positions [begin, end) read elements of the line.
        const std::int32_t left = at.column * w.stride_w - w.pad_left + s * w.dilation_w;
        // The first position that reads `to` or more.
        const auto reach = [&](std::int32_t to) -> std::int32_t {
          const std::int32_t away = to - left;
          if (away <= 0) return 0;
          return std::min(at.count, w.stride_w == 1 ? away : (away - 1) / w.stride_w + 1);
        };
        const std::int32_t begin = reach(0), end = std::max(begin, reach(in.w));
        for (std::int32_t r = 0; r < w.kernel_h; ++r) {
          const std::int32_t y = at.line * w.stride_h - w.pad_top + r * w.dilation_h;
          const bool inside = y >= 0 && y < in.h && begin < end;
          for (std::int32_t c = 0; c < channels; ++c) {
            float* to = panel + count(at.offset) +
                        count((c * w.kernel_h + r) * w.kernel_w + s) * width;
            if (!inside) {
              std::fill_n(to, at.count, pad);
              continue;
            }
            const T* line = x + in.at(group * channels + c, y, 0);
            for (std::int32_t i = 0; i < begin; ++i) to[i] = pad;
            if (w.stride_w == 1) std::copy(line + left + begin, line + left + end, to + begin);
            else
              for (std::int32_t i = begin; i < end; ++i)
                to[i] = static_cast<float>(line[left + i * w.stride_w]);
            for (std::int32_t i = end; i < at.count; ++i) to[i] = pad;
          }
        }
      }
  }
};

}  // namespace sliding_sum_detail

// to[i] = sums[i] + bias + operand[i], if there is one, made at least 0 by `relu`.
void finish_sums(std::span<const double> sums, double bias, const float* operand, bool relu,
                 float* to);

// Calls store(k, position, sums), the last a std::span<const double>, for every kernel k and
// neighbouring output positions y * out.w + x from `position` on, every one once, each sum being
// that over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][y * stride_h - pad_top +
// r * dilation_h][x * stride_w - pad_left + s * dilation_w], elements outside the input being
// `pad`.
// weights: [out.c][in.c / groups][kernel_h][kernel_w]. For T = int8 the sums are exact; for floats
// they have the same bits whatever computes the blocks.
template <class T, class Store>
void sliding_sums(const window& w, shape in, const T* x, shape out, std::int32_t groups,
                  const T* weights, Store store, T pad = T{},
                  const sum_blocks& by = *sets_of_sum_blocks().front()) {
  namespace d = sliding_sum_detail;
  const auto count = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  const auto group_c = in.c / groups, group_k = out.c / groups;
  const std::size_t depth = count(group_c) * count(w.kernel_h) * count(w.kernel_w);
  const std::size_t area = count(out.h) * count(out.w), kernels = count(group_k);
  const bool in_place = out.h == in.h && out.w == in.w && w.kernel_h == 1 && w.kernel_w == 1 &&
                        w.stride_h == 1 && w.stride_w == 1 && w.pad_top == 0 && w.pad_left == 0;
  if (in_place) {  // one line
    in.w = out.w = static_cast<std::int32_t>(area);
    in.h = out.h = 1;
  }
  // Panels of as many positions at a time as stay within about 512 KB.
  const std::size_t width = area == 1 ? 1 : by.columns;
  const std::size_t tile = std::max<std::size_t>((std::size_t{1} << 17) / depth / width, 1) * width;
  const auto uninitialised = [](std::size_t n) {
    return std::make_unique_for_overwrite<float[]>(n);
  };
  const std::size_t most = (std::min(tile, area) + width - 1) / width * width;
  const auto panels = uninitialised(most * depth);
  const auto rows = uninitialised(area == 1 ? depth : kernels * depth);
  d::gathering<T> gather{.w = w, .in = in, .x = x, .channels = group_c, .out_w = out.w,
                         .pad = static_cast<float>(pad), .width = width};
  std::array<double, 8 * 32> sums;
  for (std::int32_t group = 0; group < groups; ++group) {
    const std::size_t first_kernel = count(group) * kernels;
    const T* from = weights + first_kernel * depth;
    if (area == 1) {
      gather(group, 0, 1, panels.get());
      for (std::size_t k = 0; k < kernels; ++k) {
        std::copy_n(from + k * depth, depth, rows.get());
        sums[0] = d::dot(rows.get(), panels.get(), depth);
        store(first_kernel + k, std::size_t{0}, std::span(sums).first(1));
      }
      continue;
    }
    for (std::size_t k = 0, n = 0; k < kernels; k += n) {
      n = d::rows_of_block(kernels - k, by.rows);
      d::pack(from + k * depth, n, depth, rows.get() + k * depth);
    }
    for (std::size_t first = 0; first < area; first += tile) {
      const std::size_t positions = std::min(tile, area - first);
      for (std::size_t start = 0; start < positions; start += width)
        gather(group, first + start, std::min(width, area - first - start),
               panels.get() + start * depth);
      for (std::size_t k = 0, n = 0; k < kernels; k += n) {
        n = d::rows_of_block(kernels - k, by.rows);
        for (std::size_t start = 0; start < positions; start += width) {
          d::sum_up(by, n, rows.get() + k * depth, panels.get() + start * depth, depth,
                    std::span(sums).first(n * width));
          for (std::size_t i = 0; i < n; ++i)
            store(first_kernel + k + i, first + start,
                  std::span(sums).subspan(i * width, std::min(width, positions - start)));
        }
      }
    }
  }
}

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/sliding_sums.ipp>
#endif
