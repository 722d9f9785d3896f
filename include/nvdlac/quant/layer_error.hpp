// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

// The signal to noise, in dB, below which the numbers of an output say little.
inline constexpr double doubtful_snr = 15;

// The error of one layer of an integer network beside the float one: sums of squares over all its
// values that were seen.
struct layer_error {
  std::string name{};
  double signal = 0;   // of the float network's values
  double error = 0;    // of the integers, with what they inherit
  double arising = 0;  // what the layer itself adds
  double product = 0, square = 0;  // of the integers' values with the float ones, with themselves
  // Values that are NaN or infinite, of the float network or of the integers, in none of the sums.
  std::size_t not_finite = 0;
  // The error if the layer's exact results were rounded to its scale, and to that of its own range.
  double at_its_scale = 0, at_own_range = 0;
  // The error that its own becomes at each output of the network where all else is exact; empty:
  // that was not asked.
  struct at_output {
    double signal = 0, error = 0;
  };
  std::vector<at_output> at_outputs{};
  // Whether its function gives its scale, as that of a softmax: no calibration changes it.
  bool fixed_scale = false;
  // Whether it is an input of the network, whose error is that of rounding it.
  bool is_input = false;

  void add(const layer_error& of_others);
  static double decibels(double signal, double noise);
  // Whether all values are finite numbers. Otherwise no error is known: what follows is NaN.
  bool known() const { return not_finite == 0; }
  // Signal to noise in decibels, infinite without noise: of all that the layer gives, with what it
  // inherits.
  double snr() const { return known() ? decibels(signal, error) : unknown; }
  // Signal to noise in decibels that the layer would have if its inputs were exact.
  double snr_arising() const { return known() ? decibels(signal, arising) : unknown; }
  // Signal to noise in decibels at the output where its own error alone costs most: what is cut off
  // behind the layer does not count. NaN: that was not asked.
  double snr_at_outputs() const;
  // The cosine of the angle between all values and their reference; 1 if they are the same.
  double cosine() const;
  // The decibels of signal to noise that its scale costs, where that is not of its own range.
  double lost() const;

  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/layer_error.ipp>
#endif
