// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators of com.microsoft that ONNX Runtime makes of several of ONNX's.
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/matrix.hpp>

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
  const auto of = [&](net::function f, std::size_t n = 0) {
    need(n);
    net::activation op{.function = f};
    if (n > 0) op.alpha = parameters[0];
    if (n > 1) op.gamma = parameters[1];
    return apply_function(c, layer, op, x);
  };
  if (function == "Relu") return need(0), apply_function(c, layer, net::relu{}, x);
  if (function == "Sigmoid") return of(net::function::sigmoid);
  if (function == "Tanh") return of(net::function::tanh);
  if (function == "Softplus") return of(net::function::softplus);
  if (function == "Softsign") return of(net::function::softsign);
  if (function == "Elu") return of(net::function::elu, 1);
  if (function == "ThresholdedRelu") return of(net::function::thresholded_relu, 1);
  if (function == "Selu") return of(net::function::selu, 2);
  if (function == "LeakyRelu")
    return need(1), apply_function(c, layer, net::prelu{{parameters[0]}}, x);
  if (function == "Clip")
    return need(2), apply_function(c, layer, net::clip{parameters[0], parameters[1]}, x);
  if (function == "HardSigmoid")
    return need(2), hard_sigmoid(c, layer, parameters[0], parameters[1], x);
  throw error(problem{.reason = "its activation '" + function + "' is not supported",
                      .remedy = "Clip, Elu, HardSigmoid, LeakyRelu, Relu, Selu, Sigmoid, "
                                "Softplus, Softsign, Tanh and ThresholdedRelu are"});
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

// A Gemm and a function of it. The function's attributes are `activation_` and their own names;
// what is not given is as ONNX has it.
inline std::vector<value> on_fused_gemm(const context& c) {
  using defaults = std::vector<std::pair<const char*, float>>;
  static const std::map<std::string_view, defaults> parameters = {
      {"Elu", {{"activation_alpha", 1.0F}}},
      {"HardSigmoid", {{"activation_alpha", 0.2F}, {"activation_beta", 0.5F}}},
      {"LeakyRelu", {{"activation_alpha", 0.01F}}},
      {"Selu", {{"activation_alpha", 1.67326319F}, {"activation_gamma", 1.05070102F}}},
      {"ThresholdedRelu", {{"activation_alpha", 1.0F}}}};
  const auto function = c.n.string("activation", "");
  if (function.empty()) return {gemm(c, c.n.name())};
  std::vector<float> given;
  if (const auto known = parameters.find(function); known != parameters.end())
    for (const auto& [name, otherwise] : known->second)
      given.push_back(c.n.number(name, otherwise));
  const value y = gemm(c, c.n.name() + "/product");
  return {fused_activation(c, function, given, std::get<computed>(y))};
}

// A matrix whose rows and columns are exchanged; `batch`: its first dimension becomes that of the
// rows before.
inline value turned_matrix(const context& c, const value& v, bool rows, bool batch) {
  const dims& shape = shape_of(v);
  if (shape.size() < 2 || !(rows || batch)) return v;  // a vector stays what it is
  dims order = ascending(static_cast<std::int64_t>(shape.size()), 1);
  if (batch) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (rows) std::swap(order.end()[-2], order.back());
  const movement m = transpose(shape, order);
  if (const auto* x = std::get_if<computed>(&v))
    return moved(*x, m, c.n.name(), c.net.net().shape(x->node));
  return std::make_shared<const array>(apply(*std::get<std::shared_ptr<const array>>(v), m));
}
// alpha * A * B, either turned before.
inline std::vector<value> on_fused_mat_mul(const context& c) {
  c.require_inputs(2, 2);
  const float alpha = c.n.number("alpha", 1);
  const bool turn_a = c.n.flag("transA", false), turn_b = c.n.flag("transB", false);
  std::vector<value> in{turned_matrix(c, c.in[0], turn_a, c.n.flag("transBatchA", false)),
                        turned_matrix(c, c.in[1], turn_b, c.n.flag("transBatchB", false))};
  if (alpha != 1.0F) {
    const auto factor = std::make_shared<const array>(array::of_reals({}, {alpha}));
    value& first = in[c.is_constant(1) ? 1 : 0];  // what is constant takes it without a layer
    first = combine(c, c.n.name() + "/alpha", "Mul", first, factor);
  }
  return on_mat_mul({c.n, in, c.net, c.batch});
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
