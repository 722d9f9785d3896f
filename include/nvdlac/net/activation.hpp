// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of one element, and softmax, which is one of all channels.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Functions of each element that hardware looks up in a table.

// Functions of x, with the parameters alpha (a), beta (b) and gamma (g) where they are named.
enum class function : std::uint8_t {
  sigmoid,           // 1 / (1 + exp(-x))
  tanh,
  elu,               // x, below 0: a * (exp(x) - 1)
  selu,              // g * x, below 0: g * a * (exp(x) - 1)
  celu,              // x, below 0: a * (exp(x / a) - 1)
  swish,             // x / (1 + exp(-a * x))
  mish,              // x * tanh(log(1 + exp(x)))
  gelu,              // x * (1 + erf(x / sqrt(2))) / 2
  gelu_tanh,         // its approximation by tanh
  softplus,          // log(1 + exp(x))
  softsign,          // x / (1 + |x|)
  exponential,       // exp(a * x + b)
  logarithm,         // g * log(a * x + b)
  power,             // (a * x + b) ^ g
  erf,
  threshold,         // 1 above a, else 0
  thresholded_relu,  // x above a, else 0
  shrink,            // x + b below -a, x - b above a, else 0
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  sine_hyperbolic,
  cosine_hyperbolic,
  area_sine,
  area_cosine,
  area_tangent,
  sign,
  floor,
  ceil,
  round,             // halves to even
};

// Their names, in their order.
inline constexpr std::array<std::string_view, 33> functions{
    "sigmoid", "tanh", "elu", "selu", "celu", "swish", "mish", "gelu", "gelu_tanh", "softplus",
    "softsign", "exponential", "logarithm", "power", "erf", "threshold", "thresholded_relu",
    "shrink", "sine", "cosine", "tangent", "arc_sine", "arc_cosine", "arc_tangent",
    "sine_hyperbolic", "cosine_hyperbolic", "area_sine", "area_cosine", "area_tangent", "sign",
    "floor", "ceil", "round"};
static_assert(static_cast<std::size_t>(function::round) == functions.size() - 1);

constexpr std::string_view name_of(function f) {
  return functions[static_cast<std::size_t>(f)];
}

// A value that a function does not have, such as the logarithm of -1, is NaN.
struct activation {
  static constexpr arity inputs{1, 1};

  net::function function = net::function::sigmoid;
  float alpha = 1, beta = 0, gamma = 1;
  static constexpr void fields(auto&& field) {
    field("function", &activation::function);
    field("alpha", &activation::alpha);
    field("beta", &activation::beta);
    field("gamma", &activation::gamma);
  }

  double operator()(double x) const {
    const auto a = static_cast<double>(alpha), b = static_cast<double>(beta),
               g = static_cast<double>(gamma);
    const auto softplus = [](double v) {
      return std::max(v, 0.0) + std::log1p(std::exp(-std::fabs(v)));
    };
    switch (function) {
      case net::function::sigmoid: return 1 / (1 + std::exp(-x));
      case net::function::tanh: return std::tanh(x);
      case net::function::elu: return x < 0 ? a * std::expm1(x) : x;
      case net::function::selu: return g * (x < 0 ? a * std::expm1(x) : x);
      case net::function::celu: return x < 0 ? a * std::expm1(x / a) : x;
      case net::function::swish: return x / (1 + std::exp(-a * x));
      case net::function::mish: return x * std::tanh(softplus(x));
      case net::function::gelu: return x * (1 + std::erf(x * std::sqrt(0.5))) / 2;
      case net::function::gelu_tanh: {
        constexpr double two_over_pi = 0.63661977236758134308;
        return x * (1 + std::tanh(std::sqrt(two_over_pi) * (x + 0.044715 * x * x * x))) / 2;
      }
      case net::function::softplus: return softplus(x);
      case net::function::softsign: return x / (1 + std::fabs(x));
      case net::function::exponential: return std::exp(a * x + b);
      case net::function::logarithm: return g * std::log(a * x + b);
      case net::function::power: return std::pow(a * x + b, g);
      case net::function::erf: return std::erf(x);
      case net::function::threshold: return x > a ? 1 : 0;
      case net::function::thresholded_relu: return x > a ? x : 0;
      case net::function::shrink: return x < -a ? x + b : x > a ? x - b : 0;
      case net::function::sine: return std::sin(x);
      case net::function::cosine: return std::cos(x);
      case net::function::tangent: return std::tan(x);
      case net::function::arc_sine: return std::asin(x);
      case net::function::arc_cosine: return std::acos(x);
      case net::function::arc_tangent: return std::atan(x);
      case net::function::sine_hyperbolic: return std::sinh(x);
      case net::function::cosine_hyperbolic: return std::cosh(x);
      case net::function::area_sine: return std::asinh(x);
      case net::function::area_cosine: return std::acosh(x);
      case net::function::area_tangent: return std::atanh(x);
      case net::function::sign: return (x > 0) - (x < 0);
      case net::function::floor: return std::floor(x);
      case net::function::ceil: return std::ceil(x);
      case net::function::round: return std::nearbyint(x);
    }
    return x;
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    for (const float p : {alpha, beta, gamma})
      if (!std::isfinite(p))
        found.add({.layer = layer, .reason = text("a parameter of its function is ", p)});
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = static_cast<float>((*this)(static_cast<double>(v)));
    return y;
  }
};
static_assert(operation<activation>);

// max(x, 0)
struct relu {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = std::max(v, 0.0F);
    return y;
  }
};
static_assert(operation<relu>);

// min(max(x, low), high): ReLU6 has 0 and 6.
struct clip {
  static constexpr arity inputs{1, 1};

  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  static constexpr void fields(auto&& field) {
    field("low", &clip::low);
    field("high", &clip::high);
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    if (!(low <= high))
      found.add({.layer = layer, .reason = text("it clips to ", low, " .. ", high)});
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = std::min(std::max(v, low), high);
    return y;
  }
};
static_assert(operation<clip>);

// x, or slope * x where x is negative. One slope for all channels is a leaky ReLU; the slope -1
// gives the absolute value.
struct prelu {
  static constexpr arity inputs{1, 1};

  std::vector<float> slope{};  // [C] or one for all channels
  static constexpr void fields(auto&& field) { field("slope", &prelu::slope); }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(slope, slope.size() == 1 ? 1 : in[0].c, "slope", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    if (slope.size() != 1) require_values(slope, y.shape.c, "slope");
    const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
    for (std::size_t i = 0; i < y.values.size(); ++i)
      if (y.values[i] < 0) y.values[i] *= slope[slope.size() == 1 ? 0 : i / area];
    return y;
  }
};
static_assert(operation<prelu>);

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
