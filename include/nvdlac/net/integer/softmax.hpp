// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/softmax.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// On the host: saturate<8>(round(softmax(scale_in * x) / scale_out)), over the channels; in double,
// rounded half away from zero. The scales are 32-bit floats, as a loadable stores them.
struct softmax {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  // scale_in and scale_out belong to the input's and to the output's tensor.
  int8_tensor evaluate(std::span<const int8_tensor* const> in, double scale_in,
                       double scale_out) const {
    if (!(scale_in > 0) || !(scale_out > 0))
      throw error("a softmax has a scale that is not above 0");
    const double unit_in = static_cast<float>(scale_in), unit_out = static_cast<float>(scale_out);
    int8_tensor y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    for (std::size_t p = 0; p < area; ++p) {
      const auto column = softmax_of(in[0]->values.data() + p, channels, area, unit_in);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = static_cast<std::int8_t>(
            std::min(std::round(column[c] / unit_out), 127.0));
    }
    return y;
  }
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net::integer
