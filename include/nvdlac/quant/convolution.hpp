// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quantised/winograd.hpp>

// Kernels of 3x3 as Winograd's mode of CONV multiplies them.

namespace nvdlac::quant {

inline constexpr std::size_t kernel_of_3x3 = 9;
// Where a transformed kernel has a quarter of the sum of all its weights: what the mode multiplies
// an input by that is the same everywhere, of which there is four times as much in the tile.
inline constexpr std::size_t winograd_sum = 5;

// G g G^T of one channel.
std::array<double, quantised::winograd_taps> winograd_kernel(
    std::span<const double, kernel_of_3x3> g);

// Transforms all channels of a filter.
void transform_for_winograd(std::vector<double>& weights);

// How far CSC cuts the transformed input of integers, of which four elements make one: so none
// saturates.
inline constexpr int winograd_truncation = 2;

// How the weights of one filter become int8.

// The integer up to `most` that the largest weight is where all weights are multiples of one step,
// as those of a network are that was quantised before; 0 where they are not.
double multiple_of_step(std::span<const double> weights, double largest, double most);

// The integer that the largest weight shall be: 127, or less where that loses nothing.
double integer_of_largest(std::span<const double> weights, double largest);

// The weights in steps as integers whose sum over each channel is the nearest, too: neighbours in a
// picture are alike, so that errors of one sign would add up. The ones that change for it are those
// that were nearly rounded the other way.
void round_weights(std::span<const double> weights, std::size_t area, std::span<std::int8_t> to);

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
  std::vector<double> drift{};  // by kernel, real: what the bias takes back besides; empty: nothing
  std::int32_t in_zero = 0, out_zero = 0;  // the integers that stand for 0
  // For each kernel, a step of its output is worth gain * scale. Empty: 1.
  std::vector<double> out_gain{};
  double most = 0;  // up to which integer what is left of them counts, if beyond the precision's
  bool winograd = false;  // they become those of Winograd's mode: 16 for each 9
};

inline double out_gain(const real_filters& f, std::size_t k) {
  return f.out_gain.empty() ? 1 : f.out_gain[k];
}

namespace detail {

// One filter in units of the output's integers.
struct filter {
  double step = 0;  // what one unit of the accumulator is worth; never falls
  double bias = 0;
  double shift_of_zero = 0;  // what the integer for 0 in the input adds to the bias
};

std::size_t area_of(const real_filters& f);

// The real weights of kernel k in units of `scale`, the gains of the input's channels folded in.
void gather(const real_filters& f, std::size_t k, double scale, std::vector<double>& weights);

// How far CSC cuts the input of integers; 0: it does not.
inline int input_truncation(const real_filters& f) { return f.winograd ? winograd_truncation : 0; }

// How often weight i of a kernel counts for an input that is the same everywhere.
double count_of(const real_filters& f, std::size_t i);

// The means of the input's channels as they count in the sums: in steps, from the integer for 0 on.
// Integers saturate.
std::vector<double> means_in_steps(const real_filters& f, double in_scale);

// The average that the rounding of kernel k's weights adds to its sum.
double drift(const real_filters& f, std::size_t k, std::span<const double> exact,
             std::span<const std::int8_t> rounded, std::span<const double> mean);

// Steps no longer than the weights need; biases that saturate whatever the input is are cut to a
// size that still does. A step of the input is worth `in_per_step` of the output's, which are of
// the size `step_of_out`, but for their gains.
std::vector<filter> natural_filters(const real_filters& f, std::size_t taps, double in_per_step,
                                    double step_of_out, int truncate, double levels);

double longest_step(const std::vector<filter>& filters);

// The common shift; steps are raised so that no multiplier falls below 2^8.
int share_shift(std::vector<filter>& filters);

// The bias and up to `rest` units of the accumulator, of the integer for 0 and of means, must fit
// 16 bits. The smallest bias_shift from `least` on that needs no step above an eighth of the
// longest one (such a filter loses less to rounding than the coarsest filter does); steps are
// raised to fit.
int share_bias_shift(std::vector<filter>& filters, double rest, int least);

// Throws where a filter has no weight or too few biases or means.
void check_counts(const real_filters& f, const std::string& layer);

[[noreturn]] void refuse_scales(const real_filters& f, double in_scale, double out_scale,
                                double longest, const std::string& layer);

// Rounds the weights of filter k; what they then add to its sum by the integer for 0 and by the
// means, which the bias has to take back.
double round_filter(const real_filters& f, std::size_t k, const std::vector<double>& weights,
                    const std::vector<double>& mean, quantised::convolution& to);

}  // namespace detail

// The integer convolution from an input of scale `in_scale` to an output of scale `out_scale`.
// Each filter's weight scale is chosen so that its multiplier is exact: multiplier / 2^shift steps.
// int8 or int16. `exact` becomes what int8 rounds. `shifts` are those that it has in common with
// others, by which multipliers have fewer bits than they could.
quantised::convolution quantise(const real_filters& f, double in_scale, double out_scale,
                                const std::string& layer = {},
                                hw::precision p = hw::precision::int8,
                                exact_filters* exact = nullptr, shared_shifts shifts = {});

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/convolution.ipp>
#endif
