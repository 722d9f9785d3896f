// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/quant/inputs.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL net::preprocessing behind(const net::scale& s, const net::preprocessing& format,
                                      std::size_t channels) {
  const auto are_told = [&](const std::vector<double>& v) {
    return v.size() == 1 || v.size() == channels;
  };
  auto result = format;
  if (!are_told(format.mean) || !are_told(format.scale)) return result;
  result.mean.clear();
  result.scale.clear();
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = format.mean[format.mean.size() == 1 ? 0 : c];
    const double scale = format.scale[format.scale.size() == 1 ? 0 : c] * factor_of(s, c);
    result.mean.push_back(mean - bias_of(s, c) / scale);
    result.scale.push_back(scale);
  }
  return result;
}

NVDLAC_IMPL bool can_be_converted(const net::preprocessing& format) {
  return std::ranges::all_of(format.mean, [](double m) { return std::fabs(m) <= 32000; }) &&
         std::ranges::all_of(format.scale, [](double s) {
           return std::fabs(s) >= 1e-30 && std::fabs(s) <= 1e30;
         });
}

NVDLAC_IMPL pixel_range::pixel_range(const net::preprocessing& how) {
  const std::size_t channels = std::max(how.mean.size(), how.scale.size());
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = how.mean.at(how.mean.size() == 1 ? 0 : std::min(c, how.mean.size() - 1));
    const double scale =
        how.scale.at(how.scale.size() == 1 ? 0 : std::min(c, how.scale.size() - 1));
    const double ends[] = {-mean * scale, (255 - mean) * scale};
    low = std::min({low, ends[0], ends[1]});
    high = std::max({high, ends[0], ends[1]});
  }
}

NVDLAC_IMPL bool pixel_range::is_within(const net::clip& c) const {
  const double range = double{c.high} - double{c.low};
  const double step = std::isfinite(range) ? 1.001 * range / 255 : 0;
  return low >= double{c.low} - step && high <= double{c.high} + step;
}

}  // namespace nvdlac::quant
