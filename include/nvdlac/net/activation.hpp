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

#include <nvdlac/base/type_list.hpp>
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
  hard_swish,        // x * min(max(x + 3, 0), 6) / 6
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
  composed,          // what its parts make of x
};

// Their names, in their order.
inline constexpr std::array<std::string_view, 35> functions{
    "sigmoid", "tanh", "elu", "selu", "celu", "swish", "hard_swish", "mish", "gelu",
    "gelu_tanh", "softplus", "softsign", "exponential", "logarithm", "power", "erf",
    "threshold", "thresholded_relu", "shrink", "sine", "cosine", "tangent", "arc_sine",
    "arc_cosine", "arc_tangent", "sine_hyperbolic", "cosine_hyperbolic", "area_sine",
    "area_cosine", "area_tangent", "sign", "floor", "ceil", "round",
    "composed"};
static_assert(static_cast<std::size_t>(function::composed) == functions.size() - 1);

constexpr std::string_view name_of(function f) {
  return functions[static_cast<std::size_t>(f)];
}

// One part of a composed function: what it makes of a value v, and of a second one w where it has
// two. Value 0 is x, and value i what part i - 1 gives.
struct function_part {
  enum class part_kind : std::uint8_t {
    function,  // the function of v, with the same parameters
    line,      // a * v + b
    bounded,   // min(max(v, a), b)
    bent,      // v, below 0: a * v
    sum,       // a * v + b * w
    product,   // v * w
    maximum,
    minimum,
  };
  friend constexpr std::string_view name_of(part_kind k) {
    constexpr std::array<std::string_view, 8> names{"function", "line", "bounded", "bent",
                                                    "sum", "product", "maximum", "minimum"};
    return names[static_cast<std::size_t>(k)];
  }

  part_kind kind = part_kind::function;
  net::function function = net::function::sigmoid;
  std::uint8_t first = 0, second = 0;
  float alpha = 1, beta = 0, gamma = 1;
  static constexpr void fields(auto&& field) {
    field("kind", &function_part::kind);
    field("function", &function_part::function);
    field("first", &function_part::first);
    field("second", &function_part::second);
    field("alpha", &function_part::alpha);
    field("beta", &function_part::beta);
    field("gamma", &function_part::gamma);
  }

  bool operator==(const function_part&) const = default;
  double operator()(double v, double w) const;
};

// A value that a function does not have, such as the logarithm of -1, is NaN.
struct activation {
  static constexpr arity inputs{1, 1};

  net::function function = net::function::sigmoid;
  float alpha = 1, beta = 0, gamma = 1;
  static constexpr std::size_t most_parts = 32;
  std::vector<function_part> parts{};  // of a composed one, whose value is that of the last
  static constexpr void fields(auto&& field) {
    field("function", &activation::function);
    field("alpha", &activation::alpha);
    field("beta", &activation::beta);
    field("gamma", &activation::gamma);
    field("parts", &activation::parts);
  }

  double operator()(double x) const;

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<activation>);

// max(x, 0)
struct relu {
  static constexpr arity inputs{1, 1};

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
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
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
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
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<prelu>);

// The functions of one element that SDP computes without a table.
using piecewise_linear_operators = type_list<relu, clip, prelu>;

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
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<softmax>);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/activation.ipp>
#endif
