// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace nvdlac::cli {

// How far values are from their reference, over any number of tensors.
class comparison {
 public:
  void add(const std::vector<float>& reference, const std::vector<float>& values);

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
