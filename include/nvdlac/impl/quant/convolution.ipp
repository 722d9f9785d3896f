// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/convolution.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/winograd.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::array<double, quantised::winograd_taps> winograd_kernel(
    std::span<const double, kernel_of_3x3> g) {
  const auto line = [](double a, double b, double c) {
    return std::array{a, (a + b + c) / 2, (a - b + c) / 2, c};
  };
  std::array<std::array<double, 4>, 3> columns;
  for (std::size_t s = 0; s < 3; ++s) columns[s] = line(g[s], g[3 + s], g[6 + s]);
  std::array<double, quantised::winograd_taps> u{};
  for (std::size_t r = 0; r < 4; ++r) {
    const auto row = line(columns[0][r], columns[1][r], columns[2][r]);
    std::ranges::copy(row, u.begin() + static_cast<std::ptrdiff_t>(4 * r));
  }
  return u;
}

NVDLAC_IMPL void transform_for_winograd(std::vector<double>& weights) {
  std::vector<double> result;
  result.reserve(weights.size() / kernel_of_3x3 * quantised::winograd_taps);
  for (std::size_t at = 0; at < weights.size(); at += kernel_of_3x3) {
    const auto u = winograd_kernel(
        std::span<const double, kernel_of_3x3>(weights.data() + at, kernel_of_3x3));
    result.insert(result.end(), u.begin(), u.end());
  }
  weights = std::move(result);
}

NVDLAC_IMPL double multiple_of_step(std::span<const double> weights, double largest, double most) {
  constexpr double least = 8, off = 0.02;  // no worse than the rounding to 127 steps
  for (double n = most; n >= least; --n)
    if (std::ranges::all_of(weights, [&](double w) {
          const double x = w / largest * n;
          return std::fabs(x - std::round(x)) < off;
        }))
      return n;
  return 0;
}

NVDLAC_IMPL double integer_of_largest(std::span<const double> weights, double largest) {
  const double n = multiple_of_step(weights, largest, 127);
  return n > 0 ? n : 127;
}

NVDLAC_IMPL void round_weights(std::span<const double> weights, std::size_t area,
                               std::span<std::int8_t> to) {
  if (area == 1) {
    for (std::size_t i = 0; i < weights.size(); ++i) to[i] = round8(weights[i]);
    return;
  }
  for (std::size_t first = 0; first < weights.size(); first += area) {
    double rest = 0;
    for (std::size_t i = first; i < first + area; ++i) {
      to[i] = round8(weights[i]);
      rest += weights[i] - to[i];
    }
    while (std::fabs(rest) > 0.5) {
      const int sign = rest > 0 ? 1 : -1;
      std::size_t nearest = weights.size();
      double most = 0;
      for (std::size_t i = first; i < first + area; ++i) {
        const double error = (weights[i] - to[i]) * sign;
        if (error > most && std::abs(to[i] + sign) <= 127) {
          most = error;
          nearest = i;
        }
      }
      if (nearest == weights.size()) break;
      to[nearest] = static_cast<std::int8_t>(to[nearest] + sign);
      rest -= sign;
    }
  }
}

namespace detail {

NVDLAC_IMPL std::size_t area_of(const real_filters& f) {
  if (f.winograd) return quantised::winograd_taps;
  return static_cast<std::size_t>(f.window.kernel_h) * static_cast<std::size_t>(f.window.kernel_w);
}

// The first of the channels, so many, that kernel k reads.
NVDLAC_IMPL std::size_t first_channel(const real_filters& f, std::size_t k, std::size_t channels) {
  return k * static_cast<std::size_t>(f.groups) / static_cast<std::size_t>(f.kernels) * channels;
}

NVDLAC_IMPL void gather(const real_filters& f, std::size_t k, double scale,
                        std::vector<double>& weights) {
  const std::size_t taps = f.weights.size() / static_cast<std::size_t>(f.kernels);
  const std::size_t area = f.winograd ? kernel_of_3x3 : area_of(f);
  weights.resize(taps);
  const auto from = f.weights.subspan(k * taps, taps);
  if (f.gain.empty())
    for (std::size_t i = 0; i < taps; ++i) weights[i] = double{from[i]} / scale;
  else {
    const std::size_t first = first_channel(f, k, taps / area);
    for (std::size_t i = 0; i < taps; ++i)
      weights[i] = double{from[i]} * f.gain[first + i / area] / scale;
  }
  if (f.winograd) transform_for_winograd(weights);
}

NVDLAC_IMPL double count_of(const real_filters& f, std::size_t i) {
  if (!f.winograd) return 1;
  return i % quantised::winograd_taps == winograd_sum ? 4 : 0;
}

NVDLAC_IMPL std::vector<double> means_in_steps(const real_filters& f, double in_scale) {
  auto result = f.mean;
  for (std::size_t c = 0; c < result.size(); ++c) {
    if (!f.offset.empty()) result[c] -= f.offset[c];
    if (!f.gain.empty()) result[c] /= f.gain[c];
    result[c] = std::clamp(result[c] / in_scale, -128.0 - f.in_zero, 127.0 - f.in_zero);
  }
  return result;
}

NVDLAC_IMPL double drift(const real_filters& f, std::size_t k, std::span<const double> exact,
                         std::span<const std::int8_t> rounded, std::span<const double> mean) {
  if (mean.empty()) return 0;
  const std::size_t area = area_of(f), channels = exact.size() / area;
  const std::size_t first = first_channel(f, k, channels);
  double sum = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    double off = 0;
    for (std::size_t i = c * area; i < (c + 1) * area; ++i)
      off += count_of(f, i) * (rounded[i] - exact[i]);
    sum += off * mean[first + c];
  }
  return sum;
}

NVDLAC_IMPL std::vector<filter> natural_filters(const real_filters& f, std::size_t taps,
                                                double in_per_step, double step_of_out,
                                                int truncate, double levels) {
  const auto area = area_of(f);
  std::vector<filter> result(static_cast<std::size_t>(f.kernels));
  std::vector<double> weights;
  for (std::size_t k = 0; k < result.size(); ++k) {
    const std::size_t first = first_channel(f, k, taps / area);
    const double in_per_out = in_per_step / out_gain(f, k);
    const double out_scale = step_of_out * out_gain(f, k);
    double top = 0, sum = 0, total = 0, bias = f.bias.empty() ? 0 : double{f.bias[k]};
    if (!f.drift.empty()) bias -= f.drift.at(k);
    gather(f, k, 1, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double w = weights[i];
      top = std::max(top, std::fabs(w));
      sum += std::fabs(w);
      total += count_of(f, i) * w;
      if (!f.offset.empty()) bias += double{f.weights[k * taps + i]} * f.offset[first + i / area];
    }
    const double largest = levels == 127 ? integer_of_largest(weights, top) : levels;
    const double reach = std::max(levels, f.most) + 3 + 2 * (levels + 1) * sum * in_per_out;
    result[k] = {.step = std::ldexp(top * in_per_out / largest, truncate + input_truncation(f)),
                 .bias = std::clamp(bias / out_scale + f.out_zero, -reach, reach),
                 .shift_of_zero = -f.in_zero * total * in_per_out};
  }
  return result;
}

NVDLAC_IMPL double longest_step(const std::vector<filter>& filters) {
  double longest = 0, bias = 0;
  for (const auto& f : filters) {
    longest = std::max(longest, f.step);
    bias = std::max(bias, std::fabs(f.bias + f.shift_of_zero));
  }
  if (longest > 0) return longest;
  return bias > 0 ? bias / 16384 : 1;  // no weights at all: only the biases count
}

NVDLAC_IMPL int share_shift(std::vector<filter>& filters) {
  const int shift = shift_for(longest_step(filters));
  for (auto& f : filters) f.step = std::max(f.step, std::ldexp(256, -shift));
  return shift;
}

NVDLAC_IMPL int share_bias_shift(std::vector<filter>& filters, double rest, int least) {
  const double longest = longest_step(filters);
  const auto needed = [rest](const filter& f, int shift) {
    const double room = std::ldexp(32767, shift) - rest;
    return room > 0 ? std::fabs(f.bias + f.shift_of_zero) / room
                    : std::numeric_limits<double>::infinity();
  };
  int shift = least;
  for (; shift < 16; ++shift)
    if (std::all_of(filters.begin(), filters.end(), [&](const filter& f) {
          return needed(f, shift) <= std::max(f.step, longest / 8);
        }))
      break;
  for (auto& f : filters) f.step = std::max(f.step, needed(f, shift));
  return shift;
}

NVDLAC_IMPL void check_counts(const real_filters& f, const std::string& layer) {
  const auto kernels = static_cast<std::size_t>(f.kernels);
  if (f.kernels < 1 || f.weights.empty() || f.weights.size() % kernels != 0 ||
      (!f.bias.empty() && f.bias.size() != kernels))
    throw error({.layer = layer, .reason = text(f.weights.size(), " weights and ", f.bias.size(),
                                                " biases for ", f.kernels, " kernels")});
  const std::size_t taps = f.weights.size() / kernels;
  const auto area =
      static_cast<std::size_t>(f.window.kernel_h) * static_cast<std::size_t>(f.window.kernel_w);
  if (const auto channels = taps / area * static_cast<std::size_t>(f.groups);
      !f.mean.empty() && f.mean.size() != channels)
    throw error({.layer = layer, .reason = text("it has the means of ", f.mean.size(), " of its ",
                                                channels, " input channels")});
}

NVDLAC_IMPL void refuse_scales(const real_filters& f, double in_scale, double out_scale,
                               double longest, const std::string& layer) {
  float largest = 0;
  for (const float w : f.weights) largest = std::max(largest, std::fabs(w));
  throw error(
      {.layer = layer,
       .reason = text("output scale ", out_scale, " is too small for input scale ", in_scale,
                      ": one step of the accumulator is ", longest,
                      " steps of the output, and its largest weight is ", largest),
       .remedy = "calibrate again with inputs like those the network was trained on; where its own "
                 "weights make up for channels that differ so much, compute it in fp16; where an "
                 "input channel is always 0, set its weights to 0"});
}

NVDLAC_IMPL double round_filter(const real_filters& f, std::size_t k,
                                const std::vector<double>& weights, const std::vector<double>& mean,
                                quantised::convolution& to) {
  const std::size_t held = weights.size();
  double sum = 0;
  if (to.weights.size() == 0) {
    for (std::size_t i = 0; i < held; ++i) {
      to.wide_weights[k * held + i] = round16(weights[i]);
      sum += count_of(f, i) * to.wide_weights[k * held + i];
    }
    return f.in_zero * std::ldexp(sum, -to.input_truncate);
  }
  std::vector<std::int8_t> rounded(held);
  round_weights(weights, f.winograd ? 1 : area_of(f), rounded);
  for (std::size_t i = 0; i < held; ++i) {
    to.weights[k * held + i] = rounded[i];
    sum += count_of(f, i) * rounded[i];
  }
  return f.in_zero * std::ldexp(sum, -to.input_truncate) +
         std::ldexp(drift(f, k, weights, rounded, mean), -to.input_truncate);
}

}  // namespace detail

NVDLAC_IMPL quantised::convolution quantise(const real_filters& f, double in_scale,
                                            double out_scale, const std::string& layer,
                                            hw::precision p, exact_filters* exact,
                                            shared_shifts shifts) {
  const double top = top_of(p);
  const auto kernels = static_cast<std::size_t>(f.kernels);
  detail::check_counts(f, layer);
  const std::size_t taps = f.weights.size() / kernels;
  int truncate = 0;  // the sum of a kernel's products must fit 32 bits behind CACC
  const double largest = static_cast<double>(taps) * top * (top + 1);
  while (std::ldexp(largest, -truncate) > 2147483647.0) ++truncate;
  const double in_per_out = in_scale / out_scale;

  auto filters = detail::natural_filters(f, taps, in_per_out, out_scale, truncate, top);
  detail::share_shift(filters);
  const bool wide = p != hw::precision::int8;
  const int cut = detail::input_truncation(f);
  const auto mean = wide ? std::vector<double>{} : detail::means_in_steps(f, in_scale);
  double furthest = 0;
  for (const double m : mean) furthest = std::max(furthest, std::fabs(m));
  // The weights' rounding decides how much the integer for 0 and the means add.
  const double rest = std::ldexp(
      (std::abs(f.in_zero) + furthest) * static_cast<double>(taps) / 2, -truncate);
  const int bias_shift = detail::share_bias_shift(filters, rest, shifts.bias);
  const int shift = std::min<int>(detail::share_shift(filters), shifts.sums);
  if (const double longest = detail::longest_step(filters);
      truncate > 16 || !(std::ceil(longest) <= 32767))
    detail::refuse_scales(f, in_scale, out_scale, longest, layer);

  quantised::convolution result{.kernels = f.kernels, .window = f.window, .groups = f.groups,
                                   .bias = std::vector<std::int16_t>(kernels),
                                   .bias_shift = static_cast<std::uint8_t>(bias_shift),
                                   .multiplier = std::vector<std::int16_t>(kernels),
                                   .shift = static_cast<std::uint8_t>(shift),
                                   .truncate = static_cast<std::uint8_t>(truncate),
                                   .pad = static_cast<std::int16_t>(f.in_zero), .relu = f.relu,
                                   .winograd = f.winograd,
                                   .input_truncate = static_cast<std::uint8_t>(cut)};
  const std::size_t held = f.winograd ? taps / kernel_of_3x3 * quantised::winograd_taps : taps;
  if (wide) result.wide_weights.resize(kernels * held);
  else result.weights.resize(kernels * held);
  std::vector<double> weights;
  for (std::size_t k = 0; k < kernels; ++k) {
    // Rounded up, but for the noise of the division: a weight never exceeds the top then.
    const double m =
        std::clamp(std::ceil(std::ldexp(filters[k].step, shift) * (1 - 1e-12)), 1.0, 32767.0);
    const double step = std::ldexp(m, -shift);
    const double weight_scale =
        std::ldexp(step * out_gain(f, k) / in_per_out, -truncate - cut);
    result.multiplier[k] = round16(m);
    detail::gather(f, k, weight_scale, weights);
    if (exact != nullptr) {
      exact->weights.insert(exact->weights.end(), weights.begin(), weights.end());
      exact->step.push_back(std::ldexp(step * out_scale * out_gain(f, k), -truncate));
    }
    const double added = detail::round_filter(f, k, weights, mean, result);
    const double rest_of_bias = std::ldexp(-added, -truncate);
    result.bias[k] = round16(std::ldexp(filters[k].bias / step + rest_of_bias, -bias_shift));
  }
  return result;
}

}  // namespace nvdlac::quant
