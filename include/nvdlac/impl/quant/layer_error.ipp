// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/layer_error.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL void layer_error::add(const layer_error& of_others) {
  signal += of_others.signal;
  not_finite += of_others.not_finite;
  error += of_others.error;
  arising += of_others.arising;
  product += of_others.product;
  square += of_others.square;
  at_its_scale += of_others.at_its_scale;
  at_own_range += of_others.at_own_range;
  at_outputs.resize(std::max(at_outputs.size(), of_others.at_outputs.size()));
  for (std::size_t k = 0; k < of_others.at_outputs.size(); ++k) {
    at_outputs[k].signal += of_others.at_outputs[k].signal;
    at_outputs[k].error += of_others.at_outputs[k].error;
  }
}

NVDLAC_IMPL double layer_error::snr_at_outputs() const {
  if (!known() || at_outputs.empty()) return unknown;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& o : at_outputs) least = std::min(least, decibels(o.signal, o.error));
  return least;
}

NVDLAC_IMPL double layer_error::decibels(double signal, double noise) {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

NVDLAC_IMPL double layer_error::cosine() const {
  if (!known()) return unknown;
  const double lengths = std::sqrt(signal * square);
  return error == 0 ? 1 : lengths == 0 ? 0 : product / lengths;
}

NVDLAC_IMPL double layer_error::lost() const {
  if (!known()) return unknown;
  const double excess = std::max(0.0, at_its_scale - at_own_range);
  return excess == 0 ? 0 : decibels(error, std::max(error - excess, error * 1e-6));
}

}  // namespace nvdlac::quant
