// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/quant/drift.hpp>
#include <nvdlac/quant/input_rows.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quant/multipliers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL double multiplications_of(const quantised::graph& integers) {
  double all = 0;
  for (quantised::graph::id n = 0; n < integers.size(); ++n)
    if (const auto* c = integers.get_if<quantised::convolution>(n))
      all += static_cast<double>(c->weights.size() + c->wide_weights.size()) *
             static_cast<double>(net::shape{1, integers[n].shape.h, integers[n].shape.w}.size());
  return all;
}

NVDLAC_IMPL bool tells_drift(const quantised::graph& integers, std::size_t samples) {
  constexpr double in_a_second = 4e8;  // multiplications of each layer, in float and in integers
  const double each = multiplications_of(integers);
  return samples >= 2 * samples_of_drift &&
         (samples >= 32 * samples_of_drift || samples_of_drift * each <= in_a_second);
}

namespace detail {

NVDLAC_IMPL quantised::convolution drift_finder::operator()(const filters_at_hand& f) const {
  constexpr double certain = 3;  // standard errors of the mean over samples
  // A prime number of positions, which falls into all columns of a map.
  constexpr std::size_t least = 4093, most_values = std::size_t{1} << 24;
  const auto groups = static_cast<std::size_t>(f.op.groups);
  const auto kernels = static_cast<std::size_t>(f.op.kernels), of_group = kernels / groups;
  const std::size_t taps = f.op.weights.size() / kernels;
  chosen_positions at{.area = net::shape{1, f.out.h, f.out.w}.size()};
  at.all = at.area * samples_;
  at.count = std::min(at.all, std::max(std::min(least, most_values / taps), samples_));
  std::vector<std::size_t> begin(samples_ + 1, at.count);  // of the rows of each sample
  for (std::size_t row = at.count; row-- > 0;) begin[at[row].sample] = row;

  auto corrected = f.op;
  const auto bias = corrected.bias.changeable();
  std::vector<double> drift(kernels);
  const auto count = static_cast<double>(samples_);
  const double unit = std::ldexp(1.0, f.op.bias_shift);
  for_all(groups, threads_, [&](std::size_t g) {
    const auto rows = input_rows::gather(f.op, g, f.read, f.in, f.out, at, 1);
    std::vector<std::vector<double>> read;
    for (std::size_t s = 0; s < samples_; ++s) read.push_back(rows.means(begin[s], begin[s + 1]));
    for (std::size_t k = g * of_group; k < (g + 1) * of_group; ++k) {
      std::vector<double> lacking(samples_);  // on average, by sample
      double mean = 0, spread = 0;
      for (std::size_t s = 0; s < samples_; ++s) {
        double wanted = 0;
        for (std::size_t row = begin[s]; row < begin[s + 1]; ++row)
          wanted += f.wanted(k, at[row], at.area);
        lacking[s] = wanted / static_cast<double>(begin[s + 1] - begin[s]) - bias[k] * unit -
                     dot(f.op.weights.data() + k * taps, read[s].data(), taps);
        mean += lacking[s] / count;
      }
      for (const double x : lacking) spread += (x - mean) * (x - mean) / (count * (count - 1));
      const double b = bias[k] + mean / unit;
      if (std::fabs(mean) <= certain * std::sqrt(spread) || !(std::fabs(b) <= 32767)) continue;
      bias[k] = round16(b);
      drift[k] = -mean * f.exact.step[k];
    }
  });
  if (std::ranges::any_of(drift, [](double d) { return d != 0; }))
    found_.insert_or_assign(f.layer, std::move(drift));
  return corrected;
}

}  // namespace detail

}  // namespace nvdlac::quant
