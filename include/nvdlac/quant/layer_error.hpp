// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace nvdlac::quant {

// The error of one layer of an integer network beside the float one: sums of squares over all its
// values that were seen.
struct layer_error {
  std::string name{};
  double signal = 0;   // of the float network's values
  double error = 0;    // of the integers, with what they inherit
  double arising = 0;  // what the layer itself adds
  double product = 0, square = 0;  // of the integers' values with the float ones, with themselves
  // The error if the layer's exact results were rounded to its scale, and to that of its own range.
  double at_its_scale = 0, at_own_range = 0;

  void add(const layer_error& of_others) {
    signal += of_others.signal;
    error += of_others.error;
    arising += of_others.arising;
    product += of_others.product;
    square += of_others.square;
    at_its_scale += of_others.at_its_scale;
    at_own_range += of_others.at_own_range;
  }
  static double decibels(double signal, double noise) {
    if (noise == 0) return std::numeric_limits<double>::infinity();
    return 10 * std::log10(signal / noise);
  }
  // Signal to noise in decibels, infinite without noise: of all that the layer gives, with what it
  // inherits.
  double snr() const { return decibels(signal, error); }
  // Signal to noise in decibels that the layer would have if its inputs were exact.
  double snr_arising() const { return decibels(signal, arising); }
  // The cosine of the angle between all values and their reference; 1 if they are the same.
  double cosine() const {
    const double lengths = std::sqrt(signal * square);
    return error == 0 ? 1 : lengths == 0 ? 0 : product / lengths;
  }
  // The decibels of signal to noise that its scale costs, where that is not of its own range.
  double lost() const {
    const double excess = std::max(0.0, at_its_scale - at_own_range);
    return excess == 0 ? 0 : decibels(error, std::max(error - excess, error * 1e-6));
  }
};

}  // namespace nvdlac::quant
