// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/verify/comparison.hpp>

namespace nvdlac::verification {

namespace detail {

// The error of values that are no numbers.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace detail

NVDLAC_IMPL void comparison::add(const std::vector<float>& reference,
                                 const std::vector<float>& values) {
  if (reference.size() != values.size())
    throw std::logic_error("tensors of different sizes are compared");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = reference[i], error = std::fabs(values[i] - expected);
    if (!std::isfinite(error)) {
      ++(std::isfinite(expected) ? lost : undefined);
      continue;
    }
    largest = std::max(largest, error);
    sum += error;
    signal += expected * expected;
    noise += error * error;
    product += expected * values[i];
    square += double{values[i]} * values[i];
  }
  count += values.size();
}

NVDLAC_IMPL void comparison::add(const comparison& next) {
  largest = std::max(largest, next.largest);
  sum += next.sum;
  signal += next.signal;
  noise += next.noise;
  product += next.product;
  square += next.square;
  count += next.count;
  undefined += next.undefined;
  lost += next.lost;
  if (next.detections) {
    if (detections) detections->add(*next.detections);
    else detections = next.detections;
  }
  parts.resize(std::max(parts.size(), next.parts.size()));
  for (std::size_t i = 0; i < next.parts.size(); ++i) parts[i].add(next.parts[i]);
}

NVDLAC_IMPL double comparison::largest_error() const { return known() ? largest : detail::unknown; }

NVDLAC_IMPL double comparison::mean_error() const {
  if (!known()) return detail::unknown;
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

NVDLAC_IMPL double comparison::snr() const {
  if (!known()) return detail::unknown;
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

NVDLAC_IMPL double comparison::worst_snr() const {
  return parts.empty() ? snr() : parts[worst_part()].snr();
}

NVDLAC_IMPL std::size_t comparison::worst_part() const {
  std::size_t worst = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].known()) return i;
    if (parts[i].snr() < parts[worst].snr()) worst = i;
  }
  return worst;
}

NVDLAC_IMPL double comparison::cosine() const {
  if (!known()) return detail::unknown;
  if (noise == 0) return 1;
  const double lengths = std::sqrt(signal * square);
  return lengths == 0 ? 0 : product / lengths;
}

}  // namespace nvdlac::verification
