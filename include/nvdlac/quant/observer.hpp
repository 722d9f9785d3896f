// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

// The least value and the largest magnitude of some, at least 0 and at most 0.
struct extremes {
  double largest = 0, lowest = 0;

  explicit extremes(std::span<const float> values) {
    // A vector of g++ and clang, of 16 bytes: what all processors have.
    using lanes [[gnu::vector_size(4 * sizeof(float))]] = float;
    lanes top{}, least{}, x;
    std::size_t i = 0;
    for (; i + 4 <= values.size(); i += 4) {
      std::memcpy(&x, values.data() + i, sizeof x);
      least = x < least ? x : least;
      top = x > top ? x : top;
    }
    for (std::size_t k = 0; k < 4; ++k) include(top[k]), include(least[k]);
    for (; i < values.size(); ++i) include(values[i]);
  }

 private:
  void include(float x) {
    largest = std::max(largest, std::fabs(static_cast<double>(x)));
    lowest = std::min(lowest, static_cast<double>(x));
  }
};

// How often each magnitude |x| was seen. The bins cover [0, 2^exponent) evenly; a larger value
// doubles the range and merges neighbours. A bin's edges are thus multiples of a power of two, and
// the counts do not depend on the order of the values. Zeros are counted apart: every scale
// represents them exactly.
class magnitudes {
 public:
  static constexpr std::size_t bins = 4096;

  // Finite values.
  void observe(std::span<const float> values) {
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

  double largest() const { return largest_; }
  std::uint64_t zeros() const { return zeros_; }
  std::uint64_t total() const { return total_; }  // zeros included
  double bin_width() const { return std::ldexp(1.0, exponent_ - bits); }
  const std::array<std::uint64_t, bins>& counts() const { return counts_; }
  // Bins in use: all counts from here on are zero.
  std::size_t used() const {
    return largest_ == 0 ? 0 : static_cast<std::size_t>(largest_ / bin_width()) + 1;
  }
  // The bins that are not empty: their centres, in bins, and their counts.
  struct bin {
    double centre = 0, count = 0;
  };
  std::vector<bin> filled() const {
    std::vector<bin> found;
    for (std::size_t i = 0, n = used(); i < n; ++i)
      if (counts_[i] != 0)
        found.push_back({static_cast<double>(i) + 0.5, static_cast<double>(counts_[i])});
    return found;
  }

 private:
  static constexpr int bits = 12;
  static_assert(bins == std::size_t{1} << bits);

  void grow(double x) {
    int needed = 0;
    std::frexp(x, &needed);  // x < 2^needed
    if (largest_ == 0) exponent_ = needed;
    largest_ = x;
    for (; exponent_ < needed; ++exponent_) {
      for (std::size_t i = 0; i < bins / 2; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
      for (std::size_t i = bins / 2; i < bins; ++i) counts_[i] = 0;
    }
  }

  std::array<std::uint64_t, bins> counts_{};
  int exponent_ = 0;
  double largest_ = 0;
  std::uint64_t zeros_ = 0, total_ = 0;
};

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
    const extremes e(values);
    largest = std::max(largest, e.largest);
    lowest = std::min(lowest, e.lowest);
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

  // The divergence of the range of `n` bins.
  double divergence(std::size_t n) const {
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

  magnitudes seen{};
};
static_assert(observer<entropy>);

// The range with the least mean squared error of rounding and saturation together.
struct least_squares {
  static constexpr std::string_view name = "least-squares";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const {
    const auto bins = seen.filled();
    return detail::best_range(seen, [&](std::size_t n) { return error(bins, n); });
  }

  // Sum of squared errors, in bins, when the range of `n` bins becomes 127.
  static double error(std::span<const magnitudes::bin> bins, std::size_t n) {
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

  magnitudes seen{};
};
static_assert(observer<least_squares>);

// What measures best on the networks in docs/quantisation.md.
using default_observer = least_squares;

// What an observer counted; none if it does not count.
template <observer O>
const magnitudes* counts_of(const O& o) {
  if constexpr (requires { { &o.seen } -> std::convertible_to<const magnitudes*>; }) return &o.seen;
  else if constexpr (requires { o.counted(); }) return o.counted();
  else return nullptr;
}

// An observer that is chosen at run time; copies watch on their own.
class any_observer {
 public:
  template <class O>
    requires(!std::same_as<O, any_observer> && observer<O>)
  any_observer(O chosen) : name(O::name), self_(std::make_unique<model<O>>(std::move(chosen))) {}
  any_observer(const any_observer& other) : name(other.name), self_(other.self_->copy()) {}
  any_observer& operator=(any_observer other) noexcept {
    std::swap(name, other.name);
    self_.swap(other.self_);
    return *this;
  }
  ~any_observer() = default;

  std::string_view name;
  void observe(std::span<const float> values) { self_->observe(values); }
  double range() const { return self_->range(); }
  const magnitudes* counted() const { return self_->counted(); }

 private:
  struct base {
    virtual ~base() = default;
    virtual std::unique_ptr<base> copy() const = 0;
    virtual void observe(std::span<const float>) = 0;
    virtual double range() const = 0;
    virtual const magnitudes* counted() const = 0;
  };
  template <class O>
  struct model final : base {
    explicit model(O chosen) : self(std::move(chosen)) {}
    std::unique_ptr<base> copy() const override { return std::make_unique<model>(self); }
    void observe(std::span<const float> values) override { self.observe(values); }
    double range() const override { return static_cast<double>(self.range()); }
    const magnitudes* counted() const override { return counts_of(self); }
    O self;
  };

  std::unique_ptr<base> self_;
};
static_assert(observer<any_observer>);

}  // namespace nvdlac::quant
