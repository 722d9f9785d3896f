// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/base/version.hpp>

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
  // Whether its function gives its scale, as that of a softmax: no calibration changes it.
  bool fixed_scale = false;

  void add(const layer_error& of_others);
  static double decibels(double signal, double noise);
  // Signal to noise in decibels, infinite without noise: of all that the layer gives, with what it
  // inherits.
  double snr() const { return decibels(signal, error); }
  // Signal to noise in decibels that the layer would have if its inputs were exact.
  double snr_arising() const { return decibels(signal, arising); }
  // The cosine of the angle between all values and their reference; 1 if they are the same.
  double cosine() const;
  // The decibels of signal to noise that its scale costs, where that is not of its own range.
  double lost() const;
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/layer_error.ipp>
#endif
