// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

// The largest magnitude of some values, the least one, at most 0, and the greatest, at least 0.
struct extremes {
  double largest = 0, lowest = 0, highest = 0;

  explicit extremes(std::span<const float> values);

 private:
  void include(float x);
};

// How often each magnitude |x| was seen. The bins cover [0, 2^exponent) evenly; a larger value
// doubles the range and merges neighbours. A bin's edges are thus multiples of a power of two, and
// the counts do not depend on the order of the values. Zeros are counted apart: every scale
// represents them exactly.
class magnitudes {
 public:
  static constexpr std::size_t bins = 4096;

  // Finite values.
  void observe(std::span<const float> values);

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
  std::vector<bin> filled() const;

 private:
  static constexpr int bits = 12;
  static_assert(bins == std::size_t{1} << bits);

  void grow(double x);

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

  void observe(std::span<const float> values);
  double range() const { return largest; }

  double largest = 0, lowest = 0, highest = 0;
};
static_assert(observer<min_max>);

// The magnitude that `percent` of all values do not exceed, to one bin's accuracy.
struct percentile {
  static constexpr std::string_view name = "percentile";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const;

  static constexpr double usual = 99.99;

  double percent = usual;
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
    if (c < least) {
      least = c;
      best = candidate;
    }
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
  double divergence(std::size_t n) const;

  magnitudes seen{};
};
static_assert(observer<entropy>);

// The range with the least mean squared error of rounding and saturation together.
struct least_squares {
  static constexpr std::string_view name = "least-squares";

  void observe(std::span<const float> values) { seen.observe(values); }
  double range() const;

  // Sum of squared errors, in bins, when the range of `n` bins becomes 127.
  static double error(std::span<const magnitudes::bin> bins, std::size_t n);

  magnitudes seen{};
};
static_assert(observer<least_squares>);

// The observer that measures best on the networks in docs/quantisation.md.
using default_observer = least_squares;

// The counts of an observer; none if it does not count.
template <observer O>
const magnitudes* counts_of(const O& o) {
  if constexpr (requires { { &o.seen } -> std::convertible_to<const magnitudes*>; }) return &o.seen;
  else if constexpr (requires { o.counted(); }) return o.counted();
  else return nullptr;
}

namespace detail {

// Whether it is one of nvdlac's own, with the usual numbers and before it has seen a value.
template <class O>
bool is_usual(const O& o) {
  if constexpr (std::same_as<O, min_max>) return o.largest == 0;
  else if constexpr (std::same_as<O, percentile>)
    return o.percent == percentile::usual && o.seen.total() == 0;
  else if constexpr (std::same_as<O, entropy> || std::same_as<O, least_squares>)
    return o.seen.total() == 0;
  else return false;
}

}  // namespace detail

// An observer that is chosen at run time; copies watch on their own.
class any_observer {
 public:
  template <class O>
    requires(!std::same_as<O, any_observer> && observer<O>)
  any_observer(O chosen)
      : name(O::name), is_usual(detail::is_usual(chosen)),
        self_(std::make_unique<model<O>>(std::move(chosen))) {}
  any_observer(const any_observer& other)
      : name(other.name), is_usual(other.is_usual), self_(other.self_->copy()) {}
  any_observer& operator=(any_observer other) noexcept;
  ~any_observer() = default;

  std::string_view name;
  bool is_usual = false;  // one that its name alone tells
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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/observer.ipp>
#endif
