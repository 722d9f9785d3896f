// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/pass/join_gates.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL net::float_tensor compared_places() {
  net::float_tensor x{{1, 1, 139}, {1, -1, 8}};
  for (int i = -64; i <= 64; ++i) x.values.push_back(static_cast<float>(i) * 0.1237F);
  for (const float far : {10.3F, 17.1F, 80.0F}) x.values.insert(x.values.end(), {far, -far});
  x.values.push_back(31.7F);
  return x;
}

NVDLAC_IMPL bool is_smooth(net::function f) {
  using enum net::function;
  constexpr std::array smooth{sigmoid, tanh, swish, mish, gelu, gelu_tanh, softplus,
                              softsign, exponential, logarithm, power, erf};
  return std::ranges::find(smooth, f) != smooth.end();
}

// The function among `known` that has these values at the places, to 1e-4 of a value, or of its
// factor, by which the value at 8 is larger.
NVDLAC_IMPL std::optional<scaled_function> nearest_function(std::span<const net::activation> known,
                                                            const net::float_tensor& places,
                                                            const net::float_tensor& values) {
  constexpr double tolerance = 1e-4;
  const auto value = [&](std::size_t i) { return static_cast<double>(values.values[i]); };
  std::optional<scaled_function> best;
  double least = tolerance;
  for (const auto& f : known) {
    const double whole = value(2) / f(8);
    const double factor = std::fabs(whole - 1) < tolerance ? 1 : whole;
    double worst = 0;
    bool fits = true;
    for (std::size_t i = 0; fits && i < places.values.size(); ++i) {
      const double expected = factor * f(static_cast<double>(places.values[i]));
      const double size = std::max(std::fabs(factor), std::fabs(expected));
      const double error = std::fabs(value(i) - expected) / size;
      fits = error < least;  // NaN does not
      worst = std::max(worst, error);
    }
    if (!fits) continue;
    least = worst;
    best = scaled_function{f, factor};
  }
  return best;
}

NVDLAC_IMPL std::optional<scaled_function> function_of(const net::float_tensor& values) {
  using enum net::function;
  std::vector<net::activation> known;
  for (const auto f : {sigmoid, tanh, mish, gelu, gelu_tanh, softplus, softsign, erf})
    known.push_back({.function = f});
  // x / (1 + exp(-a * x)) at 1 and -1, the first places: their quotient is -exp(a).
  const auto value = [&](std::size_t i) { return static_cast<double>(values.values[i]); };
  const double a = std::log(-value(0) / value(1));
  if (std::isfinite(a) && a > 0) {
    const bool is_silu = std::fabs(a - 1) < 1e-4;
    known.push_back({.function = swish, .alpha = is_silu ? 1.0F : static_cast<float>(a)});
  }
  return nearest_function(known, compared_places(), values);
}

NVDLAC_IMPL bool is_held(const net::activation& f) {
  const auto places = compared_places().values;
  bool differs = false;
  const double first = f(double{places[0]});
  for (const float x : places) {
    const double y = f(double{x});
    if (!std::isfinite(y)) return false;
    differs = differs || y != first;
  }
  return differs;
}

NVDLAC_IMPL net::float_tensor places_of_bounds() {
  net::float_tensor x = compared_places();
  for (const float far : {300.0F, 7e3F, 1e5F}) x.values.insert(x.values.end(), {far, -far});
  x.shape.w = static_cast<std::int32_t>(x.values.size());
  return x;
}

NVDLAC_IMPL std::optional<scaled_function> bounded_function_of(const net::float_tensor& values) {
  return nearest_function(std::array{net::activation{.function = net::function::hard_swish}},
                          places_of_bounds(), values);
}

}  // namespace nvdlac::pass
