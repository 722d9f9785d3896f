// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace nvdlac::cli {

// How far values are from their reference, over any number of tensors.
class comparison {
 public:
  void add(const std::vector<float>& reference, const std::vector<float>& values);

  // As if the values of the other one followed. Sums of sums are rounded otherwise than one sum, so
  // that the results depend on what is one comparison.
  void add(const comparison& next);

  // What it knows, for another process, and one that knows it.
  std::vector<double> numbers() const;
  static comparison of(const std::vector<double>& numbers);

  double largest_error() const { return largest_; }
  double mean_error() const;
  // Signal to noise in decibels; infinite without noise.
  double snr() const;
  // Of the angle between all values and their reference; 1 if they are the same.
  double cosine() const;

 private:
  double largest_ = 0, sum_ = 0, signal_ = 0, noise_ = 0;
  double product_ = 0, square_ = 0;  // of both, of the values
  std::size_t count_ = 0;
};

}  // namespace nvdlac::cli
