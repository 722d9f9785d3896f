// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of each element.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// Zeros that a movement put around the elements must stay zeros; where they do not, the function
// sees them as elements.
inline computed before_function(const context& c, const computed& x, bool zero_stays) {
  const bool padded = x.from && std::any_of(x.from->begin(), x.from->end(),
                                            [](auto source) { return source < 0; });
  if (zero_stays || !padded) return x;
  return {c.net.as_cube(x), x.shape};
}
template <class Op>
computed apply_function(const context& c, const std::string& layer, Op op, const computed& x) {
  return {c.net.add(layer, std::move(op), {x.node}), x.shape, x.from, x.moved_by};
}

inline std::vector<value> on_relu(const context& c) {
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::relu{}, c.tensor(0))};
}

inline std::vector<value> on_clip(const context& c) {
  c.require_inputs(1, 3);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto bound = [&](std::size_t i, const char* name, float none) {
    const float given = c.n.opset() < 11 ? c.n.number(name, none) : none;
    if (!c.given(i)) return given;
    const auto& v = c.reals(i, "bounds");
    if (v.size() != 1) throw error("its bounds are no single numbers");
    return v[0];
  };
  net::clip op{bound(1, "min", -infinity), bound(2, "max", infinity)};
  op.low = std::min(op.low, op.high);
  if (op.high >= std::numeric_limits<float>::max()) op.high = infinity;
  if (op.low <= std::numeric_limits<float>::lowest()) op.low = -infinity;
  const auto x = before_function(c, c.tensor(0), op.low <= 0 && op.high >= 0);
  if (op.low == 0.0F && op.high == infinity)
    return {apply_function(c, c.n.name(), net::relu{}, x)};
  return {apply_function(c, c.n.name(), op, x)};
}

inline std::vector<value> on_leaky_relu(const context& c) {
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::prelu{{c.n.number("alpha", 0.01F)}}, c.tensor(0))};
}

inline std::vector<value> on_abs(const context& c) {
  if (c.all_constant()) return on_unary(c);
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::prelu{{-1.0F}}, c.tensor(0))};
}

inline std::vector<value> on_neg(const context& c) {
  if (c.all_constant()) return on_unary(c);
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::scale{.factor = {-1.0F}}, c.tensor(0))};
}

inline std::vector<value> on_prelu(const context& c) {
  c.require_inputs(2, 2);
  const computed& x = c.tensor(0);
  array slope = c.constant(1, "slopes");
  if (!slope.real) throw error("its slopes are integers");
  // Until opset 6 a list had one slope for each channel, which is axis 1.
  if (c.n.opset() < 7 && slope.shape.size() == 1 && slope.size() > 1) {
    if (x.shape.size() < 2 || slope.shape[0] != x.shape[1])
      throw error(text("its slopes ", to_text(slope.shape), " do not fit ", to_text(x.shape)));
    slope.shape.resize(x.shape.size() - 1, 1);
  }
  if (broadcast(x.shape, slope.shape) != x.shape)
    throw error(text("its slopes ", to_text(slope.shape), " do not fit ", to_text(x.shape)));
  const auto values = spread(slope, x.shape);
  if (const auto each = by_channel(values, x, c.net.net().shape(x.node)))
    return {apply_function(c, c.n.name(), net::prelu{*each}, x)};
  // A slope for each element: max(x, 0) + slope * min(x, 0).
  const auto whole = c.net.as_cube(x);
  const auto& name = c.n.name();
  const auto k = c.net.add(name + "/slope", net::constant{{c.net.net().shape(whole), values}}, {});
  const auto below = c.net.add(name + "/below", net::clip{.high = 0.0F}, {whole});
  const auto sloped = c.net.add(name + "/sloped", net::multiply{}, {below, k});
  const auto above = c.net.add(name + "/above", net::relu{}, {whole});
  return {computed{c.net.add(name, net::add{}, {above, sloped}), x.shape}};
}

// min(max(alpha * x + beta, 0), 1)
inline computed hard_sigmoid(const context& c, const std::string& layer, float alpha, float beta,
                             const computed& x) {
  const auto line =
      apply_function(c, layer + "/line", net::scale{.factor = {alpha}, .bias = {beta}}, x);
  return apply_function(c, layer, net::clip{0.0F, 1.0F}, line);
}
inline std::vector<value> on_hard_sigmoid(const context& c) {
  c.require_inputs(1, 1);
  const float alpha = c.n.number("alpha", 0.2F), beta = c.n.number("beta", 0.5F);
  return {hard_sigmoid(c, c.n.name(), alpha, beta, before_function(c, c.tensor(0), beta <= 0))};
}
inline std::vector<value> on_hard_swish(const context& c) {
  c.require_inputs(1, 1);
  const computed& x = c.tensor(0);
  const auto gate = hard_sigmoid(c, c.n.name() + "/gate", 1.0F / 6, 0.5F, x);
  return {computed{c.net.add(c.n.name(), net::multiply{}, {x.node, gate.node}), x.shape, x.from,
                   x.moved_by}};
}

// The functions that have no parameters.
inline const std::map<std::string_view, net::function>& plain_functions() {
  using enum net::function;
  static const std::map<std::string_view, net::function> all = {
      {"Acos", arc_cosine},  {"Acosh", area_cosine}, {"Asin", arc_sine},
      {"Asinh", area_sine},  {"Atan", arc_tangent},  {"Atanh", area_tangent},
      {"Ceil", ceil},        {"Cos", cosine},        {"Cosh", cosine_hyperbolic},
      {"Erf", erf},          {"Exp", exponential},   {"Floor", floor},
      {"Log", logarithm},    {"Mish", mish},         {"Round", round},
      {"Sigmoid", sigmoid},  {"Sign", sign},         {"Sin", sine},
      {"Sinh", sine_hyperbolic}, {"Softplus", softplus}, {"Softsign", softsign},
      {"Tan", tangent},      {"Tanh", tanh}};
  return all;
}

// The function of a computed tensor, or of a constant.
inline value activated(const context& c, const std::string& layer, const net::activation& op,
                       const value& of) {
  if (const auto* x = std::get_if<computed>(&of))
    return apply_function(c, layer, op, before_function(c, *x, op(0) == 0));
  array a = *std::get<std::shared_ptr<const array>>(of);
  if (!a.real) throw error("it computes with integers");
  for (auto& v : a.reals) v = static_cast<float>(op(static_cast<double>(v)));
  return std::make_shared<const array>(std::move(a));
}

inline std::vector<value> on_function(const context& c) {
  if (c.all_constant() && unary_functions().contains(c.n.type())) return on_unary(c);
  c.require_inputs(1, 1);
  const auto& type = c.n.type();
  using enum net::function;
  net::activation op;
  if (const auto plain = plain_functions().find(type); plain != plain_functions().end()) {
    op.function = plain->second;
  } else if (type == "Sqrt") {
    op = {.function = power, .gamma = 0.5F};
  } else if (type == "Reciprocal") {
    op = {.function = power, .gamma = -1};
  } else if (type == "Elu") {
    op = {.function = elu, .alpha = c.n.number("alpha", 1)};
  } else if (type == "Celu") {
    op = {.function = celu, .alpha = c.n.number("alpha", 1)};
    if (op.alpha == 0.0F) throw error("its alpha is 0");
  } else if (type == "Selu") {
    op = {.function = selu, .alpha = c.n.number("alpha", 1.67326319217681884765625F),
          .gamma = c.n.number("gamma", 1.05070102214813232421875F)};
    if (c.n.opset() < 6) throw error("its defaults before opset 6 are not known");
  } else if (type == "ThresholdedRelu") {
    op = {.function = thresholded_relu, .alpha = c.n.number("alpha", 1)};
  } else if (type == "Swish") {
    op = {.function = swish, .alpha = c.n.number("alpha", 1)};
  } else {  // Gelu
    const auto way = c.n.string("approximate", "none");
    if (way != "none" && way != "tanh") throw error("attribute approximate is '" + way + "'");
    op.function = way == "tanh" ? gelu_tanh : gelu;
  }
  return {activated(c, c.n.name(), op, c.in[0])};
}

// x + bias below -lambd, x - bias above lambd, 0 between.
inline std::vector<value> on_shrink(const context& c) {
  c.require_inputs(1, 1);
  const float lambda = c.n.number("lambd", 0.5F), bias = c.n.number("bias", 0);
  if (!(lambda >= 0)) throw error(text("its lambd is ", lambda));
  const net::activation op{.function = net::function::shrink, .alpha = lambda, .beta = bias};
  return {activated(c, c.n.name(), op, c.in[0])};
}

// The single number that a constant holds.
inline std::optional<float> single(const value& v) {
  const auto* a = std::get_if<std::shared_ptr<const array>>(&v);
  if (a == nullptr || (*a)->size() != 1) return std::nullopt;
  return static_cast<float>((*a)->number(0));
}

inline std::vector<value> on_pow(const context& c) {
  c.require_inputs(2, 2);
  const value second = aligned(c, shape_of(c.in[0]), c.in[1]);
  if (c.all_constant()) return {combine(c, c.n.name(), "Pow", c.in[0], second)};
  using enum net::function;
  if (const auto base = single(c.in[0])) {
    if (!(*base > 0)) throw error(text("its base is ", *base));
    const net::activation op{.function = exponential, .alpha = std::log(*base)};
    return {activated(c, c.n.name(), op, second)};
  }
  const auto exponent = single(second);
  if (!exponent || c.is_constant(0))
    throw error(problem{.reason = "its exponents differ or are computed",
                        .remedy = "one constant exponent is supported"});
  const computed& x = c.tensor(0);
  dims shape = broadcast(x.shape, shape_of(second));
  if (count(shape) != count(x.shape)) throw error("its computed input is repeated");
  const computed seen{x.node, shape, x.from, x.moved_by};
  if (*exponent == 1.0F) return {apply_function(c, c.n.name(), net::identity{}, seen)};
  if (*exponent == 2.0F)  // which needs no table
    return {computed{c.net.add(c.n.name(), net::multiply{}, {x.node, x.node}), shape, x.from,
                     x.moved_by}};
  return {activated(c, c.n.name(), {.function = power, .gamma = *exponent}, seen)};
}

inline std::vector<value> on_div(const context& c) {
  if (c.in.size() != 2 || !c.given(1) || c.is_constant(1)) return on_binary(c);
  c.require_inputs(2, 2);
  using enum net::function;
  const auto number = single(c.in[0]);
  if (number && *number != 0.0F && count(shape_of(c.in[0])) == 1 && c.tensor(1).shape.size() >=
                                                                      shape_of(c.in[0]).size())
    return {activated(c, c.n.name(), {.function = power, .alpha = 1 / *number, .gamma = -1},
                      c.in[1])};
  const auto reciprocal = activated(c, c.n.name() + "/reciprocal",
                                    {.function = power, .gamma = -1}, c.in[1]);
  return {combine(c, c.n.name(), "Mul", c.in[0], reciprocal)};
}

}  // namespace nvdlac::import::onnx_format
