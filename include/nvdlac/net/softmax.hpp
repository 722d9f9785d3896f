// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The softmax of n values that lie `stride` apart; in double, the largest value subtracted first.
template <class T>
std::vector<double> softmax_of(const T* x, std::size_t n, std::size_t stride, double unit = 1.0) {
  double top = static_cast<double>(x[0]) * unit, sum = 0;
  for (std::size_t c = 1; c < n; ++c)
    top = std::max(top, static_cast<double>(x[c * stride]) * unit);
  std::vector<double> y(n);
  for (std::size_t c = 0; c < n; ++c)
    sum += y[c] = std::exp(static_cast<double>(x[c * stride]) * unit - top);
  for (double& v : y) v /= sum;
  return y;
}

// exp(x[c]) / sum over the channels of exp(x), at each height and width.
struct softmax {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    for (std::size_t p = 0; p < area; ++p) {
      const auto column = softmax_of(in[0]->values.data() + p, channels, area);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = static_cast<float>(column[c]);
    }
    return y;
  }
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net
