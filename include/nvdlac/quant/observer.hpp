// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/quant/histogram.hpp>

namespace nvdlac::quant {

// Watches the values of one tensor over all calibration pictures and decides which magnitude
// becomes the integer 127; what is larger saturates. 0: nothing but zeros was seen.
template <class T>
concept observer = std::copyable<T> && requires(T o, const T c, std::span<const float> values) {
  { T::name } -> std::convertible_to<std::string_view>;
  o.observe(values);
  { c.range() } -> std::convertible_to<double>;
};

// The largest magnitude seen: nothing saturates.
struct min_max {
  static constexpr std::string_view name = "min-max";

  void observe(std::span<const float> values) {
    for (const float x : values) {
      const double v{x};
      largest = std::max(largest, std::fabs(v));
      lowest = std::min(lowest, v);
    }
  }
  double range() const { return largest; }

  double largest = 0, lowest = 0;
};
static_assert(observer<min_max>);

// The magnitude that `percent` of all values do not exceed, to one bin's accuracy.
struct percentile {
  static constexpr std::string_view name = "percentile";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const {
    const double wanted = static_cast<double>(seen.total()) * percent / 100;
    double below = static_cast<double>(seen.zeros());
    for (std::size_t i = 0; i < seen.used(); ++i) {
      below += static_cast<double>(seen.counts()[i]);
      if (below >= wanted && seen.counts()[i] != 0)
        return std::min(seen.largest(), static_cast<double>(i + 1) * seen.bin_width());
    }
    return seen.largest();
  }

  double percent = 99.99;
  magnitudes seen{};
};
static_assert(observer<percentile>);

namespace detail {

// The range among 128 .. used bins (in steps of 1/512 of them) with the smallest cost(bins).
template <class Cost>
double best_range(const magnitudes& seen, Cost cost) {
  const std::size_t used = seen.used();
  if (used <= 128) return seen.largest();
  const std::size_t step = std::max<std::size_t>(1, used / 512);
  std::size_t best = used;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t candidate = used; candidate >= 128; candidate -= step) {
    const double c = cost(candidate);
    if (c < least) least = c, best = candidate;
  }
  return std::min(seen.largest(), static_cast<double>(best) * seen.bin_width());
}

}  // namespace detail

// The range whose 128 levels tell most about the distribution: the least Kullback-Leibler
// divergence of the quantised distribution (each level's count spread evenly over the bins that
// are not empty) from the real one (what saturates added to its last bin).
struct entropy {
  static constexpr std::string_view name = "entropy";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const {
    return detail::best_range(seen, [this](std::size_t n) { return divergence(n); });
  }

  // Of the range of `n` bins.
  double divergence(std::size_t n) const {
    const auto& counts = seen.counts();
    double inside = 0, beyond = 0, spread = 0;
    for (std::size_t i = 0; i < seen.used(); ++i)
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

  magnitudes seen{};
};
static_assert(observer<entropy>);

// The range with the least mean squared error of rounding and saturation together.
struct least_squares {
  static constexpr std::string_view name = "least-squares";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const {
    return detail::best_range(seen, [this](std::size_t n) { return error(n); });
  }

  // Sum of squared errors, in bins, when the range of `n` bins becomes 127.
  double error(std::size_t n) const {
    const double step = static_cast<double>(n) / 127;
    double sum = 0;
    for (std::size_t i = 0; i < seen.used(); ++i) {
      if (seen.counts()[i] == 0) continue;
      const double x = static_cast<double>(i) + 0.5;
      const double e = x - std::min(127.0, std::round(x / step)) * step;
      // Within a bin the values are spread: a twelfth of its width squared.
      sum += static_cast<double>(seen.counts()[i]) * (e * e + 1.0 / 12);
    }
    return sum;
  }

  magnitudes seen{};
};
static_assert(observer<least_squares>);

}  // namespace nvdlac::quant
