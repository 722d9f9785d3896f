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

void comparison::add(const comparison& next) {
  largest_ = std::max(largest_, next.largest_);
  sum_ += next.sum_;
  signal_ += next.signal_;
  noise_ += next.noise_;
  product_ += next.product_;
  square_ += next.square_;
  count_ += next.count_;
}

std::vector<double> comparison::numbers() const {
  return {largest_, sum_, signal_, noise_, product_, square_, static_cast<double>(count_)};
}

comparison comparison::of(const std::vector<double>& numbers) {
  comparison c;
  c.largest_ = numbers.at(0);
  c.sum_ = numbers.at(1);
  c.signal_ = numbers.at(2);
  c.noise_ = numbers.at(3);
  c.product_ = numbers.at(4);
  c.square_ = numbers.at(5);
  c.count_ = static_cast<std::size_t>(numbers.at(6));
  return c;
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
