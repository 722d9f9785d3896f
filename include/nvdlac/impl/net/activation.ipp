// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL double function_part::operator()(double v, double w) const {
  const double a{alpha}, b{beta};
  switch (kind) {
    case part_kind::function:
      return activation{.function = function, .alpha = alpha, .beta = beta, .gamma = gamma}(v);
    case part_kind::line: return a * v + b;
    case part_kind::bounded: return v < a ? a : v > b ? b : v;  // NaN stays
    case part_kind::bent: return v < 0 ? a * v : v;
    case part_kind::sum: return a * v + b * w;
    case part_kind::product: return v * w;
    case part_kind::maximum: return std::max(v, w);
    case part_kind::minimum: return std::min(v, w);
  }
  return v;
}

NVDLAC_IMPL double activation::operator()(double x) const {
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
    case net::function::hard_swish: return x * std::clamp(x + 3, 0.0, 6.0) / 6;
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
    case net::function::composed: break;
  }
  std::array<double, most_parts + 1> values{x};
  std::size_t last = 0;
  for (const auto& part : parts)
    values.at(++last) = part(values[part.first], values[part.second]);
  return values[last];
}

NVDLAC_IMPL void activation::check(std::span<const shape>, diagnostics& found,
                                   const std::string& layer) const {
  for (const float p : {alpha, beta, gamma})
    if (!std::isfinite(p))
      found.add({.layer = layer, .reason = text("a parameter of its function is ", p)});
  if (parts.size() > most_parts)
    found.add({.layer = layer, .reason = text("its function has ", parts.size(), " parts: ",
                                              most_parts, " are possible")});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& p = parts[i];
    if (p.first > i || p.second > i || p.function == net::function::composed)
      found.add({.layer = layer,
                 .reason = text("part ", i, " of its function reads no value before it")});
  }
}

NVDLAC_IMPL float_tensor activation::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y = *in[0];
  for (float& v : y.values) v = static_cast<float>((*this)(static_cast<double>(v)));
  return y;
}

NVDLAC_IMPL float_tensor relu::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y = *in[0];
  for (float& v : y.values) v = std::max(v, 0.0F);
  return y;
}

NVDLAC_IMPL void clip::check(std::span<const shape>, diagnostics& found,
                             const std::string& layer) const {
  if (!(low <= high))
    found.add({.layer = layer, .reason = text("it clips to ", low, " .. ", high)});
}

NVDLAC_IMPL float_tensor clip::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y = *in[0];
  for (float& v : y.values) v = std::min(std::max(v, low), high);
  return y;
}

NVDLAC_IMPL float_tensor prelu::evaluate(std::span<const float_tensor* const> in) const {
  float_tensor y = *in[0];
  if (slope.size() != 1) require_values(slope, y.shape.c, "slope");
  const std::size_t area = y.values.size() / static_cast<std::size_t>(y.shape.c);
  for (std::size_t i = 0; i < y.values.size(); ++i)
    if (y.values[i] < 0) y.values[i] *= slope[slope.size() == 1 ? 0 : i / area];
  return y;
}

NVDLAC_IMPL float_tensor softmax::evaluate(std::span<const float_tensor* const> in) const {
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

}  // namespace nvdlac::net
