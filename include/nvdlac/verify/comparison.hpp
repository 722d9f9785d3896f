// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <nvdlac/base/version.hpp>
#include <nvdlac/verify/detection_counts.hpp>

namespace nvdlac::verification {

// Sums over values and their reference, of any number of tensors, from which the errors follow.
struct comparison {
  double largest = 0, sum = 0;       // of the absolute errors
  double signal = 0, noise = 0;      // squares of the reference, of the errors
  double product = 0, square = 0;    // of values and reference, of the values with themselves
  std::size_t count = 0;             // of the values
  // Values that are NaN or infinite, so that they have no error and are in no sum: of the
  // reference, and of others beside a number of the reference.
  std::size_t undefined = 0, lost = 0;
  std::vector<comparison> parts{};   // of an output that several tensors hold, each of them
  // Set for an output of detections, whose rows are compared with those that they belong to.
  std::optional<detection_counts> detections{};

  // Counts values beside their reference. Throws std::logic_error for tensors of different sizes.
  void add(const std::vector<float>& reference, const std::vector<float>& values);
  // Counts what another one has counted. Sums of sums are rounded otherwise than one sum, so that
  // the results depend on what is one comparison.
  void add(const comparison& next);

  // Whether all values and their reference are finite numbers. Otherwise no error is known: all of
  // them are NaN, which is at least no threshold.
  bool known() const { return undefined + lost == 0; }
  double largest_error() const;
  double mean_error() const;
  // Signal to noise in decibels; infinite without noise.
  double snr() const;
  // That of the part where it is least, or not known; without parts that of all.
  double worst_snr() const;
  std::size_t worst_part() const;
  // The cosine of the angle between all values and their reference; 1 if they are the same.
  double cosine() const;
};

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/comparison.ipp>
#endif
