// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace nvdlac::verification {

// Sums over values and their reference, of any number of tensors, from which the errors follow.
struct comparison {
  double largest = 0, sum = 0;       // of the absolute errors
  double signal = 0, noise = 0;      // squares of the reference, of the errors
  double product = 0, square = 0;    // of values and reference, of the values with themselves
  std::size_t count = 0;             // of the values

  // Counts values beside their reference. Throws std::logic_error for tensors of different sizes.
  void add(const std::vector<float>& reference, const std::vector<float>& values) {
    if (reference.size() != values.size())
      throw std::logic_error("tensors of different sizes are compared");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = reference[i], error = std::fabs(values[i] - expected);
      largest = std::max(largest, error);
      sum += error;
      signal += expected * expected;
      noise += error * error;
      product += expected * values[i];
      square += double{values[i]} * values[i];
    }
    count += values.size();
  }
  // Counts what another one has counted. Sums of sums are rounded otherwise than one sum, so that
  // the results depend on what is one comparison.
  void add(const comparison& next) {
    largest = std::max(largest, next.largest);
    sum += next.sum;
    signal += next.signal;
    noise += next.noise;
    product += next.product;
    square += next.square;
    count += next.count;
  }

  double largest_error() const { return largest; }
  double mean_error() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  // Signal to noise in decibels; infinite without noise.
  double snr() const {
    if (noise == 0) return std::numeric_limits<double>::infinity();
    return 10 * std::log10(signal / noise);
  }
  // The cosine of the angle between all values and their reference; 1 if they are the same.
  double cosine() const {
    if (noise == 0) return 1;
    const double lengths = std::sqrt(signal * square);
    return lengths == 0 ? 0 : product / lengths;
  }
};

}  // namespace nvdlac::verification
