// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that no engine computes: the host's layers, and the softmax of the runtime's emulator.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// A layer that the host computes in numbers of any precision.
struct on_host {
  using is_known_at_run_time = void;
  static constexpr net::arity inputs{1, net::most_host_inputs};

  net::host_call call{};
  const net::host_layer* layer = nullptr;  // as in net::on_host
  net::shape target{};                     // of the result
  static constexpr void fields(auto&& field) {
    field("call", &on_host::call);
    field("target", &on_host::target);
  }

  constexpr net::shape infer(std::span<const net::shape>) const { return target; }

  // The numbers are taken for the real ones that they stand for, and the result rounded to the
  // nearest number of the precision and the scale. This is the reference, and what the simulated
  // runtime does.
  net::any_tensor evaluate(std::span<const net::any_tensor* const> in,
                           std::span<const double> scales, hw::precision precision,
                           double scale) const;
};
static_assert(net::operation<on_host>);

// As a 16-bit float keeps x: the nearest, of two the one farther from 0.
float half_precision(float x);

// On the host, over the channels, as the emulator of the public runtime computes it: numbers are
// 32-bit floats; scale_in * x and the probabilities are kept in 16 bits; probability / scale_out
// is truncated and saturated. The scales are 32-bit floats, as a loadable stores them. Numbers of
// fp16 are taken and given as they are.
struct softmax {
  static constexpr net::arity inputs{1, 1};

  // The scale that the emulator is given. From 256 on exp(-scale) is 0 and a larger scale changes
  // nothing, but 16-bit floats would end.
  static constexpr float given_scale(double scale_in) {
    return static_cast<float>(std::min(scale_in, 256.0));
  }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  // scale_in and scale_out belong to the input's and to the output's tensor.
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in, double scale_in,
                          double scale_out) const {
    static_assert(!std::is_same_v<T, std::int16_t>, "nvdlac: the emulator has no such softmax");
    if (!(scale_in > 0) || !(scale_out > 0))
      throw error("a softmax has a scale that is not above 0");
    const float unit_in = given_scale(scale_in), unit_out = static_cast<float>(scale_out);
    net::tensor<T> y{in[0]->shape};
    const auto channels = static_cast<std::size_t>(y.shape.c);
    const std::size_t area = y.values.size() / channels;
    std::vector<float> column(channels);
    for (std::size_t p = 0; p < area; ++p) {
      for (std::size_t c = 0; c < channels; ++c)
        column[c] = taken(in[0]->values[c * area + p], unit_in);
      const float top = *std::ranges::max_element(column);
      float sum = 0;
      for (float& v : column) sum += v = std::exp(v - top);
      for (std::size_t c = 0; c < channels; ++c)
        y.values[c * area + p] = given<T>(half_precision(column[c] / sum), unit_out);
    }
    return y;
  }

 private:
  static float taken(std::int8_t x, float unit) {
    return half_precision(static_cast<float>(x) * unit);
  }
  static float taken(net::half x, float) { return std::bit_cast<float>(widened(x).bits); }
  template <class T>
  static T given(float probability, float unit) {
    if constexpr (is_real<T>)
      return written(fp32{std::bit_cast<std::uint32_t>(probability)}, false);
    else return static_cast<T>(std::min(probability / unit, 127.0f));
  }
};
static_assert(net::operation<softmax>);

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/on_host.ipp>
#endif
