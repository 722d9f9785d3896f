// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators of com.microsoft that ONNX Runtime makes of several of ONNX's.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/layers.hpp>

namespace nvdlac::import::onnx_format {

// The function that is computed with an operator, called as in ONNX, of which it has the parameters
// in ONNX's order of the attributes; the layer has the node's name.
inline computed fused_activation(const context& c, const std::string& function,
                                 const std::vector<float>& parameters, const computed& x) {
  const auto& layer = c.n.name();
  const auto need = [&](std::size_t n) {
    if (parameters.size() != n)
      throw error(text("its activation ", function, " has ", parameters.size(), " parameters"));
  };
  const auto of = [&](net::function f) {
    need(0);
    return apply_function(c, layer, net::activation{.function = f}, x);
  };
  if (function == "Relu") return need(0), apply_function(c, layer, net::relu{}, x);
  if (function == "Sigmoid") return of(net::function::sigmoid);
  if (function == "Tanh") return of(net::function::tanh);
  if (function == "LeakyRelu")
    return need(1), apply_function(c, layer, net::prelu{{parameters[0]}}, x);
  if (function == "Clip")
    return need(2), apply_function(c, layer, net::clip{parameters[0], parameters[1]}, x);
  if (function == "HardSigmoid")
    return need(2), hard_sigmoid(c, layer, parameters[0], parameters[1], x);
  throw error(problem{.reason = "its activation '" + function + "' is not supported",
                      .remedy = "Clip, HardSigmoid, LeakyRelu, Relu, Sigmoid and Tanh are"});
}

// A convolution, a tensor that is added to it, and a function of the sum.
inline std::vector<value> on_fused_conv(const context& c) {
  c.require_inputs(2, 4);
  const auto function = c.n.string("activation", "");
  const auto parameters = c.n.numbers("activation_params").value_or(std::vector<float>{});
  const bool sum = c.given(3);
  if (function.empty() && !parameters.empty())
    throw error("it has parameters of an activation, but none");
  const std::vector<value> own(c.in.begin(), c.in.begin() + (c.given(2) ? 3 : 2));
  const auto& name = c.n.name();
  value y = convolved({c.n, own, c.net, c.batch},
                      sum || !function.empty() ? name + "/convolution" : name)[0];
  if (sum) y = combine(c, function.empty() ? name : name + "/sum", "Add", y, c.in[3]);
  if (function.empty()) return {y};
  return {fused_activation(c, function, parameters, std::get<computed>(y))};
}

// Gelu, FastGelu (of a sum with a bias, if there is one) and BiasGelu.
template <net::function Function>
std::vector<value> on_fused_gelu(const context& c) {
  const bool biased = c.n.type().find("Bias") != std::string::npos;
  c.require_inputs(biased ? 2 : 1, Function == net::function::gelu && !biased ? 1 : 2);
  const value x =
      c.given(1) ? combine(c, c.n.name() + "/sum", "Add", c.in[0], c.in[1]) : c.in[0];
  return {activated(c, c.n.name(), net::activation{.function = Function}, x)};
}
inline std::vector<value> on_quick_gelu(const context& c) {
  c.require_inputs(1, 1);
  const net::activation op{.function = net::function::swish,
                           .alpha = c.n.number("alpha", 1.702F)};
  return {activated(c, c.n.name(), op, c.in[0])};
}

}  // namespace nvdlac::import::onnx_format
