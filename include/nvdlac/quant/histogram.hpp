// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nvdlac::quant {

// How often each magnitude |x| was seen. The bins cover [0, 2^exponent) evenly; a larger value
// doubles the range and merges neighbours. A bin's edges are thus multiples of a power of two, and
// the counts do not depend on the order of the values. Zeros are counted apart: every scale
// represents them exactly.
class magnitudes {
 public:
  static constexpr std::size_t bins = 4096;

  void observe(std::span<const float> values) {
    for (const float x : values) add(std::fabs(static_cast<double>(x)));
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

 private:
  static constexpr int bits = 12;
  static_assert(bins == std::size_t{1} << bits);

  void add(double x) {
    ++total_;
    if (x == 0) {
      ++zeros_;
      return;
    }
    if (x > largest_) grow(x);
    ++counts_[static_cast<std::size_t>(std::ldexp(x, bits - exponent_))];
  }

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

}  // namespace nvdlac::quant
