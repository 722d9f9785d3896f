// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/quant/channel_noise.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::vector<double> channel_noise::least(std::span<const double> low,
                                                     std::span<const double> high, int rounds,
                                                     std::size_t threads) const {
  constexpr double most_at_once = 0.2, momentum = 0.7;
  std::vector<double> logs(classes_, 0), speed(classes_, 0);
  std::vector<terms> of_filters(filters_.size());
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> slope(classes_, 0), bend(classes_, 0);
    const auto put = [&](const terms& t) {
      for (const auto& [at, s, b] : t)
        if (at != no_class) {
          slope[at] += s;
          bend[at] += b;
        }
    };
    for_all(filters_.size(), threads,
            [&](std::size_t i) { of_filters[i] = terms_of(filters_[i], logs); });
    for (const auto& r : ranges_) put(terms_of(r, logs));
    for (const auto& t : of_filters) put(t);
    for (std::size_t i = 0; i < classes_; ++i)
      if (bend[i] > 0) {
        const double step = std::clamp(-slope[i] / bend[i], -most_at_once, most_at_once);
        speed[i] = momentum * speed[i] + step;
        logs[i] = std::clamp(logs[i] + speed[i], low[i], high[i]);
      }
  }
  return logs;
}

NVDLAC_IMPL double channel_noise::to_the_power(double x) {
  for (int i = 0; i < 4; ++i) x *= x;
  return x;
}

NVDLAC_IMPL channel_noise::terms channel_noise::terms_of(const shared_range& r,
                                                         const std::vector<double>& logs) {
  std::vector<double> reached;
  for (const auto& [at, range] : r.ranges) reached.push_back(range * factor(logs, at));
  const double most = reached.empty() ? 0 : *std::ranges::max_element(reached);
  double sum = 0, gain = 0;
  if (!(most > 0)) return {};
  for (double& x : reached) sum += x = to_the_power(x / most);
  for (const auto& [at, g] : r.gains) gain += g / std::pow(factor(logs, at), 2);
  const double squared = most * most * std::pow(sum, 2 / power);
  terms result;
  for (std::size_t i = 0; i < reached.size(); ++i)
    result.push_back(of_largest(r.ranges[i].first, squared * gain * reached[i] / sum));
  for (const auto& [at, g] : r.gains) {
    const double noise = squared * g / std::pow(factor(logs, at), 2);
    result.push_back({at, -2 * noise, 4 * noise});
  }
  return result;
}

NVDLAC_IMPL channel_noise::terms channel_noise::terms_of(const filters& f,
                                                         const std::vector<double>& logs) {
  const std::size_t channels = f.classes.size();
  std::vector<double> divided(channels), energy(channels), powers(channels), shares(channels);
  double all = 0, noises = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    const double by = factor(logs, f.classes[c]);
    divided[c] = 1 / by;
    all += energy[c] = f.energy[c] * by * by;
  }
  for (std::size_t k = 0; k < f.part.size() && all > 0; ++k) {
    const float* const w = f.largest.data() + k * channels;
    double most = 0, sum = 0;
    for (std::size_t c = 0; c < channels; ++c) most = std::max(most, double{w[c]} * divided[c]);
    if (!(most > 0)) continue;
    for (std::size_t c = 0; c < channels; ++c)
      sum += powers[c] = to_the_power(double{w[c]} * divided[c] / most);
    const double noise = f.part[k] * most * most * std::pow(sum, 2 / power) * all;
    noises += noise;
    for (std::size_t c = 0; c < channels; ++c) shares[c] += noise * powers[c] / sum;
  }
  terms result;
  for (std::size_t c = 0; c < channels && noises > 0; ++c) {
    const auto less = of_largest(f.classes[c], shares[c]);
    const double more = noises * energy[c] / all;
    result.push_back({less.at, 2 * more - less.slope, 4 * more + less.bend});
  }
  return result;
}

}  // namespace nvdlac::quant
