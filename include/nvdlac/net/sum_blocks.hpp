// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <nvdlac/base/version.hpp>

// The inner loop of the sums behind every convolution, a function of its own for each instruction
// set. Every sum adds its products one after the other, each product rounded before it is added:
// vectors hold different sums, so that all sets give the same bits.

namespace nvdlac::net {

// Sums[k][p] of the rows k and the columns p: the products of `steps` weights[step][k] and
// panel[step][p].
using sum_block = void (*)(const float* weights, const float* panel, std::size_t steps,
                           float* sums);

struct sum_blocks {
  std::string_view name{};
  std::size_t rows = 0, columns = 0;  // at most, a power of two; of every block
  std::array<sum_block, 4> add{};     // of 1, 2, 4 and 8 rows
};

namespace sum_blocks_detail {

// `Set::add<Rows>` for every number of rows that it has.
template <class Set>
inline constexpr sum_blocks of = [] {
  sum_blocks s{Set::name, Set::rows, Set::columns, {&Set::template add<1>, &Set::template add<2>,
                                                    &Set::template add<4>}};
  if constexpr (Set::rows == 8) s.add[3] = &Set::template add<8>;
  return s;
}();

// Vectors of g++ and clang, quick at every level of optimisation; two of them are a row.
template <std::size_t Rows, std::size_t Width>
struct vectors {
  static constexpr std::size_t rows = Rows, width = Width, columns = 2 * width;
  using lanes [[gnu::vector_size(width * sizeof(float))]] = float;
  using unaligned [[gnu::vector_size(width * sizeof(float)), gnu::aligned(alignof(float)),
                    gnu::may_alias]] = float;
};

struct portable : vectors<4, 4> {
  static constexpr std::string_view name = "portable";

  template <std::size_t Rows>
  static void add(const float* weights, const float* panel, std::size_t steps, float* sums) {
    lanes sum[Rows][2];
#pragma GCC unroll 8
    for (auto& row : sum) row[0] = row[1] = lanes{};
    for (; steps > 0; --steps, weights += Rows, panel += columns) {
      const lanes x0 = *reinterpret_cast<const unaligned*>(panel);
      const lanes x1 = *reinterpret_cast<const unaligned*>(panel + width);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < Rows; ++k) {
        sum[k][0] += weights[k] * x0;
        sum[k][1] += weights[k] * x1;
      }
    }
#pragma GCC unroll 8
    for (auto& row : sum) {
      *reinterpret_cast<unaligned*>(sums) = row[0];
      *reinterpret_cast<unaligned*>(sums + width) = row[1];
      sums += columns;
    }
  }
};

#if defined(__x86_64__) && defined(__GNUC__)

// The empty assembler statements keep the compiler from fusing products with sums, which would
// leave out a rounding.
struct avx2 : vectors<4, 8> {
  static constexpr std::string_view name = "avx2";

  template <std::size_t Rows>
  [[gnu::target("avx2")]] static void add(const float* weights, const float* panel,
                                          std::size_t steps, float* sums) {
    lanes sum[Rows][2];
#pragma GCC unroll 8
    for (auto& row : sum) row[0] = row[1] = lanes{};
    for (; steps > 0; --steps, weights += Rows, panel += columns) {
      const lanes x0 = *reinterpret_cast<const unaligned*>(panel);
      const lanes x1 = *reinterpret_cast<const unaligned*>(panel + width);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < Rows; ++k) {
        lanes y0 = weights[k] * x0, y1 = weights[k] * x1;
        asm("" : "+x"(y0), "+x"(y1));
        sum[k][0] += y0;
        sum[k][1] += y1;
      }
    }
#pragma GCC unroll 8
    for (auto& row : sum) {
      *reinterpret_cast<unaligned*>(sums) = row[0];
      *reinterpret_cast<unaligned*>(sums + width) = row[1];
      sums += columns;
    }
  }
};

struct avx512 : vectors<8, 16> {
  static constexpr std::string_view name = "avx512";

  template <std::size_t Rows>
  [[gnu::target("avx512f")]] static void add(const float* weights, const float* panel,
                                             std::size_t steps, float* sums) {
    lanes sum[Rows][2];
#pragma GCC unroll 8
    for (auto& row : sum) row[0] = row[1] = lanes{};
    for (; steps > 0; --steps, weights += Rows, panel += columns) {
      const lanes x0 = *reinterpret_cast<const unaligned*>(panel);
      const lanes x1 = *reinterpret_cast<const unaligned*>(panel + width);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < Rows; ++k) {
        lanes y0 = weights[k] * x0, y1 = weights[k] * x1;
        asm("" : "+v"(y0), "+v"(y1));
        sum[k][0] += y0;
        sum[k][1] += y1;
      }
    }
#pragma GCC unroll 8
    for (auto& row : sum) {
      *reinterpret_cast<unaligned*>(sums) = row[0];
      *reinterpret_cast<unaligned*>(sums + width) = row[1];
      sums += columns;
    }
  }
};

#endif

}  // namespace sum_blocks_detail

// The sets of blocks for this processor, the fastest first.
inline const std::vector<const sum_blocks*>& sets_of_sum_blocks() {
  namespace d = sum_blocks_detail;
  static const auto sets = [] {
    std::vector<const sum_blocks*> found;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f")) found.push_back(&d::of<d::avx512>);
    if (__builtin_cpu_supports("avx2")) found.push_back(&d::of<d::avx2>);
#endif
    found.push_back(&d::of<d::portable>);
    return found;
  }();
  return sets;
}

}  // namespace nvdlac::net
