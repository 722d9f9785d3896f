// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace nvdlac::cli {

void comparison::add(const std::vector<float>& reference, const std::vector<float>& values) {
  if (reference.size() != values.size())
    throw std::logic_error("tensors of different sizes are compared");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = reference[i], error = std::fabs(values[i] - expected);
    largest_ = std::max(largest_, error);
    sum_ += error;
    signal_ += expected * expected;
    noise_ += error * error;
    product_ += expected * values[i];
    square_ += double{values[i]} * values[i];
  }
  count_ += values.size();
}

double comparison::mean_error() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

double comparison::snr() const {
  if (noise_ == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal_ / noise_);
}

double comparison::cosine() const {
  if (noise_ == 0) return 1;
  const double lengths = std::sqrt(signal_ * square_);
  return lengths == 0 ? 0 : product_ / lengths;
}

}  // namespace nvdlac::cli
