// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/sliding_sums.hpp>
#include <nvdlac/net/sum_blocks.hpp>

namespace nvdlac::net {

namespace sliding_sum_detail {

NVDLAC_IMPL widened::widened(const float* from) {
  floats x;
  load(x, from);
  low = __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1), doubles);
  high = __builtin_convertvector(__builtin_shufflevector(x, x, 2, 3), doubles);
}

NVDLAC_IMPL void widened::narrow_to(float* to) const {
  using pair [[gnu::vector_size(2 * sizeof(float))]] = float;
  const auto x = __builtin_convertvector(low, pair), y = __builtin_convertvector(high, pair);
  store(to, __builtin_shufflevector(x, y, 0, 1, 2, 3));
}

NVDLAC_IMPL widened& widened::operator+=(const widened& o) {
  low += o.low;
  high += o.high;
  return *this;
}

NVDLAC_IMPL void widened::make_positive() {
  low = low < 0 ? doubles{} : low;
  high = high < 0 ? doubles{} : high;
}

NVDLAC_IMPL double dot(const float* a, const float* b, std::size_t depth) {
  constexpr std::size_t columns = 8;
  using lanes [[gnu::vector_size(columns * sizeof(float))]] = float;
  double sum = 0;
  for (std::size_t start = 0; start < depth; start += chunk) {
    const std::size_t end = std::min(depth, start + chunk);
    lanes partial{}, u, v;
    std::size_t i = start;
    for (; i + columns <= end; i += columns) {
      std::memcpy(&u, a + i, sizeof u);
      std::memcpy(&v, b + i, sizeof v);
      partial += u * v;
    }
    float rest = 0;
    for (; i < end; ++i) rest += a[i] * b[i];
    for (std::size_t p = 0; p < columns; ++p) sum += static_cast<double>(partial[p]);
    sum += static_cast<double>(rest);
  }
  return sum;
}

NVDLAC_IMPL void sum_up(const sum_blocks& by, std::size_t rows, const float* weights,
                        const float* panel, std::size_t depth, std::span<double> sums) {
  std::array<float, 8 * 32> partial;
  const auto add = by.add[static_cast<std::size_t>(std::countr_zero(rows))];
  for (std::size_t start = 0; start < depth; start += chunk) {
    add(weights + start * rows, panel + start * by.columns, std::min(chunk, depth - start),
        partial.data());
    for (std::size_t i = 0; i < sums.size(); i += 4) {
      widened sum(partial.data() + i);
      if (start != 0) sum += widened(sums.data() + i);
      sum.store_to(&sums[i]);
    }
  }
}

NVDLAC_IMPL void stretches_of(std::size_t first, std::size_t count, std::int32_t width,
                              std::vector<stretch>& found) {
  found.clear();
  for (std::size_t done = 0; done < count;) {
    const auto position = static_cast<std::int32_t>(first + done);
    const std::int32_t column = position % width;
    const auto n = std::min(static_cast<std::int32_t>(count - done), width - column);
    found.push_back({position / width, column, static_cast<std::int32_t>(done), n});
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace sliding_sum_detail

NVDLAC_IMPL void finish_sums(std::span<const double> sums, double bias, const float* operand,
                             bool relu, float* to) {
  using sliding_sum_detail::widened;
  std::size_t i = 0;
  for (; i + 4 <= sums.size(); i += 4) {
    widened sum(sums.data() + i);
    sum.add(bias);
    if (operand) sum += widened(operand + i);
    if (relu) sum.make_positive();
    sum.narrow_to(to + i);
  }
  for (; i < sums.size(); ++i) {
    double sum = sums[i] + bias;
    if (operand) sum += static_cast<double>(operand[i]);
    to[i] = static_cast<float>(relu ? std::max(sum, 0.0) : sum);
  }
}

}  // namespace nvdlac::net
