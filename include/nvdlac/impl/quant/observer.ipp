// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/observer.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL extremes::extremes(std::span<const float> values) {
  // A vector of g++ and clang, of 16 bytes: what all processors have.
  using lanes [[gnu::vector_size(4 * sizeof(float))]] = float;
  lanes top{}, least{}, x;
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    std::memcpy(&x, values.data() + i, sizeof x);
    least = x < least ? x : least;
    top = x > top ? x : top;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    include(top[k]);
    include(least[k]);
  }
  for (; i < values.size(); ++i) include(values[i]);
}

NVDLAC_IMPL void extremes::include(float x) {
  largest = std::max(largest, std::fabs(static_cast<double>(x)));
  lowest = std::min(lowest, static_cast<double>(x));
  highest = std::max(highest, static_cast<double>(x));
}

NVDLAC_IMPL void magnitudes::observe(std::span<const float> values) {
  if (const extremes e(values); e.largest > largest_) grow(e.largest);
  total_ += values.size();
  const double bins_of_one = std::ldexp(1.0, bits - exponent_);
  std::array<std::uint16_t, 256> found;  // without the zeros, of which there are often many
  for (std::size_t start = 0; start < values.size(); start += found.size()) {
    const auto some = values.subspan(start, std::min(found.size(), values.size() - start));
    std::size_t n = 0;
    for (const float x : some) {
      const double at = std::fabs(static_cast<double>(x)) * bins_of_one;
      found[n] = static_cast<std::uint16_t>(static_cast<std::int32_t>(at));
      n += x != 0;
    }
    for (std::size_t i = 0; i < n; ++i) ++counts_[found[i]];
    zeros_ += some.size() - n;
  }
}

NVDLAC_IMPL std::vector<magnitudes::bin> magnitudes::filled() const {
  std::vector<bin> found;
  for (std::size_t i = 0, n = used(); i < n; ++i)
    if (counts_[i] != 0)
      found.push_back({static_cast<double>(i) + 0.5, static_cast<double>(counts_[i])});
  return found;
}

NVDLAC_IMPL void magnitudes::grow(double x) {
  int needed = 0;
  std::frexp(x, &needed);  // x < 2^needed
  if (largest_ == 0) exponent_ = needed;
  largest_ = x;
  for (; exponent_ < needed; ++exponent_) {
    for (std::size_t i = 0; i < bins / 2; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
    for (std::size_t i = bins / 2; i < bins; ++i) counts_[i] = 0;
  }
}

NVDLAC_IMPL void min_max::observe(std::span<const float> values) {
  const extremes e(values);
  largest = std::max(largest, e.largest);
  lowest = std::min(lowest, e.lowest);
  highest = std::max(highest, e.highest);
}

NVDLAC_IMPL double percentile::range() const {
  const double wanted = static_cast<double>(seen.total()) * percent / 100;
  double below = static_cast<double>(seen.zeros());
  for (std::size_t i = 0; i < seen.used(); ++i) {
    below += static_cast<double>(seen.counts()[i]);
    if (below >= wanted && seen.counts()[i] != 0)
      return std::min(seen.largest(), static_cast<double>(i + 1) * seen.bin_width());
  }
  return seen.largest();
}

NVDLAC_IMPL double entropy::divergence(std::size_t n) const {
  const auto& counts = seen.counts();
  const std::size_t used = seen.used();
  double inside = 0, beyond = 0, spread = 0;
  for (std::size_t i = 0; i < used; ++i)
    (i < n ? inside : beyond) += static_cast<double>(counts[i]);
  const double total = inside + beyond;
  // A frequent value at the end of the range would hide what saturates: allow no more than 1 %.
  if (beyond > 0.01 * total) return std::numeric_limits<double>::infinity();
  double result = 0;
  for (std::size_t level = 0; level < 128; ++level) {
    const std::size_t from = level * n / 128, to = (level + 1) * n / 128;
    double sum = 0;
    std::size_t filled = 0;
    for (std::size_t i = from; i < to; ++i) {
      sum += static_cast<double>(counts[i]);
      filled += counts[i] != 0 || (i + 1 == n && beyond != 0);
    }
    if (filled == 0) continue;
    // A saturated part whose level is empty inside the range: half a count, not log(0).
    const double q = std::max(sum, 0.5) / static_cast<double>(filled) / inside;
    spread += q * static_cast<double>(filled);
    for (std::size_t i = from; i < to; ++i) {
      const double p = (static_cast<double>(counts[i]) + (i + 1 == n ? beyond : 0)) / total;
      if (p > 0) result += p * std::log(p / q);
    }
  }
  return result + std::log(spread);
}

NVDLAC_IMPL double least_squares::range() const {
  const auto bins = seen.filled();
  return detail::best_range(seen, [&](std::size_t n) { return error(bins, n); });
}

NVDLAC_IMPL double least_squares::error(std::span<const magnitudes::bin> bins, std::size_t n) {
  const double step = static_cast<double>(n) / 127;
  double sum = 0;
  for (const auto& [centre, count] : bins) {
    const double at = centre / step;  // at most 4096 * 127 / 128
    const double below = static_cast<std::int32_t>(at);
    const double level = below + (at - below >= 0.5 ? 1 : 0);
    const double e = centre - std::min(127.0, level) * step;
    // Within a bin the values are spread: a twelfth of its width squared.
    sum += count * (e * e + 1.0 / 12);
  }
  return sum;
}

NVDLAC_IMPL any_observer& any_observer::operator=(any_observer other) noexcept {
  std::swap(name, other.name);
  std::swap(is_usual, other.is_usual);
  self_.swap(other.self_);
  return *this;
}

}  // namespace nvdlac::quant
