// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// As a 16-bit float keeps x: the nearest, of two the one farther from 0.
inline float half_precision(float x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent, -13) - 11;  // 11 bits, steps of at least 2^-24
  return std::ldexp(std::round(std::ldexp(x, -unit)), unit);
}

// On the host, over the channels, as the emulator of the public runtime computes it: numbers are
// 32-bit floats; scale_in * x and the probabilities are kept in 16 bits; probability / scale_out
// is truncated and saturated. The scales are 32-bit floats, as a loadable stores them.
struct softmax {
  static constexpr arity inputs{1, 1};

  // The scale that the emulator is given. From 256 on exp(-scale) is 0 and a larger scale changes
  // nothing, but 16-bit floats would end.
  static constexpr float given_scale(double scale_in) {
    return static_cast<float>(std::min(scale_in, 256.0));
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  // scale_in and scale_out belong to the input's and to the output's tensor.
  int8_tensor evaluate(std::span<const int8_tensor* const> in, double scale_in,
                       double scale_out) const {
    if (!(scale_in > 0) || !(scale_out > 0))
      throw error("a softmax has a scale that is not above 0");
    const float unit_in = given_scale(scale_in), unit_out = static_cast<float>(scale_out);
    int8_tensor y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    std::vector<float> column(channels);
    for (std::size_t p = 0; p < area; ++p) {
      for (std::size_t c = 0; c < channels; ++c)
        column[c] = half_precision(static_cast<float>(in[0]->values[c * area + p]) * unit_in);
      const float top = *std::ranges::max_element(column);
      float sum = 0;
      for (float& v : column) sum += v = std::exp(v - top);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = static_cast<std::int8_t>(
            std::min(half_precision(column[c] / sum) / unit_out, 127.0f));
    }
    return y;
  }
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net::integer
