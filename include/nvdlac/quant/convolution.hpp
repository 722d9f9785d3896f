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
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/operators.hpp>
#include <nvdlac/quantised/winograd.hpp>

// Kernels of 3x3 as Winograd's mode of CONV multiplies them.

namespace nvdlac::quant {

inline constexpr std::size_t kernel_of_3x3 = 9;
// Where a transformed kernel has a quarter of the sum of all its weights: what the mode multiplies
// an input by that is the same everywhere, of which there is four times as much in the tile.
inline constexpr std::size_t winograd_sum = 5;

// G g G^T of one channel.
inline std::array<double, quantised::winograd_taps> winograd_kernel(
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

// Transforms all channels of a filter.
inline void transform_for_winograd(std::vector<double>& weights) {
  std::vector<double> result;
  result.reserve(weights.size() / kernel_of_3x3 * quantised::winograd_taps);
  for (std::size_t at = 0; at < weights.size(); at += kernel_of_3x3) {
    const auto u = winograd_kernel(
        std::span<const double, kernel_of_3x3>(weights.data() + at, kernel_of_3x3));
    result.insert(result.end(), u.begin(), u.end());
  }
  weights = std::move(result);
}

// How far CSC cuts the transformed input of integers, of which four elements make one: so none
// saturates.
inline constexpr int winograd_truncation = 2;

// How the weights of one filter become int8.

// The integer up to `most` that the largest weight is where all weights are multiples of one step,
// as those of a network are that was quantised before; 0 where they are not.
inline double multiple_of_step(std::span<const double> weights, double largest, double most) {
  constexpr double least = 8, off = 0.02;  // no worse than the rounding to 127 steps
  for (double n = most; n >= least; --n)
    if (std::ranges::all_of(weights, [&](double w) {
          const double x = w / largest * n;
          return std::fabs(x - std::round(x)) < off;
        }))
      return n;
  return 0;
}

// The integer that the largest weight shall be: 127, or less where that loses nothing.
inline double integer_of_largest(std::span<const double> weights, double largest) {
  const double n = multiple_of_step(weights, largest, 127);
  return n > 0 ? n : 127;
}

// The weights in steps as integers whose sum over each channel is the nearest, too: neighbours in a
// picture are alike, so that errors of one sign would add up. The ones that change for it are those
// that were nearly rounded the other way.
inline void round_weights(std::span<const double> weights, std::size_t area,
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
        if (error > most && std::abs(to[i] + sign) <= 127) most = error, nearest = i;
      }
      if (nearest == weights.size()) break;
      to[nearest] = static_cast<std::int8_t>(to[nearest] + sign);
      rest -= sign;
    }
  }
}

// A convolution or fully connected layer in real numbers, as the rules below need it.
struct real_filters {
  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::span<const float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::span<const float> bias{};     // [kernels] or empty
  bool relu = false;
  // For each channel of the input, real input = gain * scale * integer + offset. Empty: 1 and 0.
  std::vector<double> gain{}, offset{};
  std::vector<double> mean{};  // of the input's channels, real; empty: unknown
  std::int32_t in_zero = 0, out_zero = 0;  // the integers that stand for 0
  double most = 0;  // up to which integer what is left of them counts, if beyond the precision's
  bool winograd = false;  // they become those of Winograd's mode: 16 for each 9
};

namespace detail {

// One filter in units of the output's integers.
struct filter {
  double step = 0;  // what one unit of the accumulator is worth; never falls
  double bias = 0;
  double shift_of_zero = 0;  // what the integer for 0 in the input adds to the bias
};

inline std::size_t area_of(const real_filters& f) {
  if (f.winograd) return quantised::winograd_taps;
  return static_cast<std::size_t>(f.window.kernel_h) * static_cast<std::size_t>(f.window.kernel_w);
}

// The real weights of kernel k in units of `scale`, the gains of the input's channels folded in.
inline void gather(const real_filters& f, std::size_t k, double scale,
                   std::vector<double>& weights) {
  const std::size_t taps = f.weights.size() / static_cast<std::size_t>(f.kernels);
  const std::size_t area = f.winograd ? kernel_of_3x3 : area_of(f);
  weights.resize(taps);
  const auto from = f.weights.subspan(k * taps, taps);
  if (f.gain.empty())
    for (std::size_t i = 0; i < taps; ++i) weights[i] = double{from[i]} / scale;
  else
    for (std::size_t i = 0; i < taps; ++i) weights[i] = double{from[i]} * f.gain[i / area] / scale;
  if (f.winograd) transform_for_winograd(weights);
}

// How far CSC cuts the input of integers; 0: it does not.
inline int input_truncation(const real_filters& f) { return f.winograd ? winograd_truncation : 0; }

// How often weight i of a kernel counts for an input that is the same everywhere.
inline double count_of(const real_filters& f, std::size_t i) {
  if (!f.winograd) return 1;
  return i % quantised::winograd_taps == winograd_sum ? 4 : 0;
}

// The means of the input's channels as they count in the sums: in steps, from the integer for 0 on.
// Integers saturate.
inline std::vector<double> means_in_steps(const real_filters& f, double in_scale) {
  auto result = f.mean;
  for (std::size_t c = 0; c < result.size(); ++c) {
    if (!f.offset.empty()) result[c] -= f.offset[c];
    if (!f.gain.empty()) result[c] /= f.gain[c];
    result[c] = std::clamp(result[c] / in_scale, -128.0 - f.in_zero, 127.0 - f.in_zero);
  }
  return result;
}

// The average that the rounding of kernel k's weights adds to its sum.
inline double drift(const real_filters& f, std::size_t k, std::span<const double> exact,
                    std::span<const std::int8_t> rounded, std::span<const double> mean) {
  if (mean.empty()) return 0;
  const std::size_t area = area_of(f), channels = exact.size() / area;
  const std::size_t group = k * static_cast<std::size_t>(f.groups) /
                            static_cast<std::size_t>(f.kernels);
  double sum = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    double off = 0;
    for (std::size_t i = c * area; i < (c + 1) * area; ++i)
      off += count_of(f, i) * (rounded[i] - exact[i]);
    sum += off * mean[group * channels + c];
  }
  return sum;
}

// Steps no longer than the weights need; biases that saturate whatever the input is are cut to a
// size that still does.
inline std::vector<filter> natural_filters(const real_filters& f, std::size_t taps,
                                           double in_per_out, double out_scale, int truncate,
                                           double levels) {
  const auto area = area_of(f);
  std::vector<filter> result(static_cast<std::size_t>(f.kernels));
  std::vector<double> weights;
  for (std::size_t k = 0; k < result.size(); ++k) {
    double top = 0, sum = 0, total = 0, bias = f.bias.empty() ? 0 : double{f.bias[k]};
    gather(f, k, 1, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double w = weights[i];
      top = std::max(top, std::fabs(w));
      sum += std::fabs(w);
      total += count_of(f, i) * w;
      if (!f.offset.empty()) bias += double{f.weights[k * taps + i]} * f.offset[i / area];
    }
    const double largest = levels == 127 ? integer_of_largest(weights, top) : levels;
    const double reach = std::max(levels, f.most) + 3 + 2 * (levels + 1) * sum * in_per_out;
    result[k] = {.step = std::ldexp(top * in_per_out / largest, truncate + input_truncation(f)),
                 .bias = std::clamp(bias / out_scale + f.out_zero, -reach, reach),
                 .shift_of_zero = -f.in_zero * total * in_per_out};
  }
  return result;
}

inline double longest_step(const std::vector<filter>& filters) {
  double longest = 0, bias = 0;
  for (const auto& f : filters) {
    longest = std::max(longest, f.step);
    bias = std::max(bias, std::fabs(f.bias + f.shift_of_zero));
  }
  if (longest > 0) return longest;
  return bias > 0 ? bias / 16384 : 1;  // no weights at all: only the biases count
}

// The common shift; steps are raised so that no multiplier falls below 2^8.
inline int share_shift(std::vector<filter>& filters) {
  const int shift = shift_for(longest_step(filters));
  for (auto& f : filters) f.step = std::max(f.step, std::ldexp(256, -shift));
  return shift;
}

// The bias and up to `rest` units of the accumulator, of the integer for 0 and of means, must fit
// 16 bits. The smallest bias_shift from `least` on that needs no step above an eighth of the longest
// one (such a filter loses less to rounding than the coarsest filter does); steps are raised to fit.
inline int share_bias_shift(std::vector<filter>& filters, double rest, int least) {
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

// Throws where a filter has no weight or too few biases or means.
inline void check_counts(const real_filters& f, const std::string& layer) {
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

[[noreturn]] inline void refuse_scales(double in_scale, double out_scale, double longest,
                                       const std::string& layer) {
  throw error(
      {.layer = layer,
       .reason = text("output scale ", out_scale, " is too small for input scale ", in_scale,
                      ": one step of the accumulator is ", longest, " steps of the output"),
       .remedy = "calibrate again with pictures like those the network was trained on"});
}

// Rounds the weights of filter k; what they then add to its sum by the integer for 0 and by the
// means, which the bias has to take back.
inline double round_filter(const real_filters& f, std::size_t k, const std::vector<double>& weights,
                           const std::vector<double>& mean, quantised::convolution& to) {
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

// The integer convolution from an input of scale `in_scale` to an output of scale `out_scale`.
// Each filter's weight scale is chosen so that its multiplier is exact: multiplier / 2^shift steps.
// int8 or int16. `exact` becomes what int8 rounds. `shifts` are those that it has in common with
// others, by which multipliers have fewer bits than they could.
inline quantised::convolution quantise(const real_filters& f, double in_scale, double out_scale,
                                          const std::string& layer = {},
                                          hw::precision p = hw::precision::int8,
                                          exact_filters* exact = nullptr,
                                          shared_shifts shifts = {}) {
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
    detail::refuse_scales(in_scale, out_scale, longest, layer);

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
    const double weight_scale = std::ldexp(step / in_per_out, -truncate - cut);
    result.multiplier[k] = round16(m);
    detail::gather(f, k, weight_scale, weights);
    if (exact != nullptr) {
      exact->weights.insert(exact->weights.end(), weights.begin(), weights.end());
      exact->step.push_back(std::ldexp(step * out_scale, -truncate));
    }
    const double added = detail::round_filter(f, k, weights, mean, result);
    const double rest_of_bias = std::ldexp(-added, -truncate);
    result.bias[k] = round16(std::ldexp(filters[k].bias / step + rest_of_bias, -bias_shift));
  }
  return result;
}

}  // namespace nvdlac::quant
