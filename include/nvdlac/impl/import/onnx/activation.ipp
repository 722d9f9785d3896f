// SPDX-License-Identifier: Apache-2.0
#pragma once
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
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/local_response.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/onnx/moving.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL computed before_function(const context& c, const computed& x, bool zero_stays) {
  const bool padded = x.from && std::any_of(x.from->begin(), x.from->end(),
                                            [](auto source) { return source < 0; });
  if (zero_stays || !padded) return x;
  return {c.net.as_cube(x), x.shape};
}

NVDLAC_IMPL std::vector<value> on_relu(const context& c) {
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::relu{}, c.tensor(0))};
}

namespace detail {

// The range of integers that a Clip leaves of those from `least` to `most`.
inline std::pair<std::int64_t, std::int64_t> left_by_clip(const context& c, std::int64_t least,
                                                          std::int64_t most) {
  const auto bound = [&](std::size_t i, std::int64_t none) {
    if (!c.given(i)) return none;
    const array& a = c.constant(i, "bounds");
    if (a.real || a.size() != 1) throw error("its bounds are no single integers");
    return std::clamp(a.integers[0], least, most);
  };
  const auto low = bound(1, least);
  return {low, std::max(bound(2, most), low)};
}

}  // namespace detail

NVDLAC_IMPL array clipped_integers(const context& c, array a) {
  using limits = std::numeric_limits<std::int64_t>;
  const auto [low, high] = detail::left_by_clip(c, limits::min(), limits::max());
  for (auto& v : a.integers) v = std::clamp(v, low, high);
  return a;
}

NVDLAC_IMPL computed clipped_integers(const context& c, computed x) {
  grid narrow = *x.integers;
  const auto [least, most] = detail::left_by_clip(c, narrow.least, narrow.most);
  if (narrow.least == least && narrow.most == most) return x;
  if (narrow.scale == 0)
    throw error(problem{.reason = "it cuts integers whose scale is told only behind it",
                        .remedy = "a QuantizeLinear before it tells the scale"});
  narrow.least = least;
  narrow.most = most;
  auto& net = c.net.net();
  x.node = net.add(c.n.name(), net::clip{.low = static_cast<float>(narrow.low()),
                                         .high = static_cast<float>(narrow.high())}, {x.node});
  net.note_scale(x.node, narrow.step(), narrow.low(), narrow.high(), narrow.bits());
  return x;
}

NVDLAC_IMPL std::vector<value> on_clip(const context& c) {
  c.require_inputs(1, 3);
  if (const auto* x = std::get_if<computed>(&c.in[0]); x != nullptr && x->integers)
    return {clipped_integers(c, *x)};
  if (c.is_constant(0) && !c.constant(0, "values").real)
    return c.one(clipped_integers(c, c.constant(0, "values")));
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

NVDLAC_IMPL std::vector<value> on_leaky_relu(const context& c) {
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::prelu{{c.n.number("alpha", 0.01F)}}, c.tensor(0))};
}

NVDLAC_IMPL std::vector<value> on_abs(const context& c) {
  if (c.all_constant()) return on_unary(c);
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::prelu{{-1.0F}}, c.tensor(0))};
}

NVDLAC_IMPL std::vector<value> on_neg(const context& c) {
  if (c.all_constant()) return on_unary(c);
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::scale{.factor = {-1.0F}}, c.tensor(0))};
}

NVDLAC_IMPL std::vector<value> on_prelu(const context& c) {
  c.require_inputs(2, 2);
  const computed x = alone_where_free(c, c.tensor(0));
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
  const auto values = spread(slope, x.shape, c.ceiling);
  if (const auto each = by_channel(values, x, c.net.net().shape(x.node)))
    return {apply_function(c, c.n.name(), net::prelu{*each}, x)};
  // Where the order is that of what is read, a map stays one.
  const auto& name = c.n.name();
  auto whole = x.from ? c.net.as_cube(x) : x.node;
  // Int8 holds slopes up to 127: a slope for all takes what is above.
  constexpr float most_of_int8 = 127;
  float shared = 1;
  for (const float s : values)
    while (std::fabs(s) / shared > most_of_int8 && std::isfinite(s)) shared *= 2;
  auto slopes = values;
  if (shared > 1) {
    whole = c.net.add(name + "/shared", net::prelu{{shared}}, {whole});
    for (float& s : slopes) s /= shared;
  }
  const net::shape cube = c.net.net().shape(whole);
  const auto k = c.net.add(name + "/slope", net::constant{{cube, std::move(slopes)}}, {});
  return {computed{c.net.add(name, net::elementwise_prelu{}, {whole, k}), x.shape}};
}

NVDLAC_IMPL computed hard_sigmoid(const context& c, const std::string& layer, float alpha,
                                  float beta, const computed& x) {
  const auto line =
      apply_function(c, layer + "/line", net::scale{.factor = {alpha}, .bias = {beta}}, x);
  return apply_function(c, layer, net::clip{0.0F, 1.0F}, line);
}

NVDLAC_IMPL std::vector<value> on_hard_sigmoid(const context& c) {
  c.require_inputs(1, 1);
  const float alpha = c.n.number("alpha", 0.2F), beta = c.n.number("beta", 0.5F);
  return {hard_sigmoid(c, c.n.name(), alpha, beta, before_function(c, c.tensor(0), beta <= 0))};
}

NVDLAC_IMPL std::vector<value> on_hard_swish(const context& c) {
  c.require_inputs(1, 1);
  const computed x = alone_where_free(c, c.tensor(0));
  const auto gate = hard_sigmoid(c, c.n.name() + "/gate", 1.0F / 6, 0.5F, x);
  return {computed{c.net.add(c.n.name(), net::multiply{}, {x.node, gate.node}), x.shape, x.from,
                   x.moved_by}};
}

NVDLAC_IMPL const std::map<std::string_view, net::function>& plain_functions() {
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

NVDLAC_IMPL value activated(const context& c, const std::string& layer, const net::activation& op,
                            const value& of) {
  if (const auto* x = std::get_if<computed>(&of))
    return apply_function(c, layer, op, before_function(c, *x, op(0) == 0));
  array a = *std::get<std::shared_ptr<const array>>(of);
  if (!a.real) throw error("it computes with integers");
  for (auto& v : a.reals) v = static_cast<float>(op(static_cast<double>(v)));
  return std::make_shared<const array>(std::move(a));
}

NVDLAC_IMPL std::vector<value> on_function(const context& c) {
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
    const bool rounded = c.n.opset() < 6;  // defaults
    op = {.function = selu,
          .alpha = c.n.number("alpha", rounded ? 1.6732F : 1.67326319217681884765625F),
          .gamma = c.n.number("gamma", rounded ? 1.0507F : 1.05070102214813232421875F)};
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

NVDLAC_IMPL std::vector<value> on_shrink(const context& c) {
  c.require_inputs(1, 1);
  const float lambda = c.n.number("lambd", 0.5F), bias = c.n.number("bias", 0);
  if (!(lambda >= 0)) throw error(text("its lambd is ", lambda));
  const net::activation op{.function = net::function::shrink, .alpha = lambda, .beta = bias};
  return {activated(c, c.n.name(), op, c.in[0])};
}

NVDLAC_IMPL std::optional<float> single(const value& v) {
  const auto* a = std::get_if<std::shared_ptr<const array>>(&v);
  if (a == nullptr || (*a)->size() != 1) return std::nullopt;
  return static_cast<float>((*a)->number(0));
}

NVDLAC_IMPL std::vector<value> on_pow(const context& c) {
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
  if (*exponent == 2.0F) {  // which needs no table
    const computed y = alone(c, seen);
    return {computed{c.net.add(c.n.name(), net::multiply{}, {y.node, y.node}), y.shape, y.from,
                     y.moved_by}};
  }
  return {activated(c, c.n.name(), {.function = power, .gamma = *exponent}, seen)};
}

NVDLAC_IMPL std::vector<value> on_div(const context& c) {
  if (c.in.size() != 2 || !c.given(1) || c.is_constant(1)) return on_binary(c);
  c.require_inputs(2, 2);
  if (auto y = local_response(c)) return {*std::move(y)};
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

NVDLAC_IMPL computed applied_by_name(const context& c, const std::string& layer,
                                     const std::string& function,
                                     const std::vector<float>& parameters, const computed& x) {
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

NVDLAC_IMPL std::vector<value> on_fused_conv(const context& c) {
  c.require_inputs(2, 4);
  const auto function = c.n.string("activation", "");
  const auto parameters = c.n.numbers("activation_params").value_or(std::vector<float>{});
  const bool sum = c.given(3);
  if (function.empty() && !parameters.empty())
    throw error("it has parameters of an activation, but none");
  const std::vector<value> own(c.in.begin(), c.in.begin() + (c.given(2) ? 3 : 2));
  const auto& name = c.n.name();
  value y = convolved({c.n, own, c.net, c.batch, c.ceiling},
                      sum || !function.empty() ? name + "/convolution" : name)[0];
  if (sum) y = combine(c, function.empty() ? name : name + "/sum", "Add", y, c.in[3]);
  if (function.empty()) return {y};
  return {applied_by_name(c, name, function, parameters, std::get<computed>(y))};
}

NVDLAC_IMPL std::vector<value> on_fused_gemm(const context& c) {
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
  return {applied_by_name(c, c.n.name(), function, given, std::get<computed>(y))};
}

NVDLAC_IMPL value turned_matrix(const context& c, const value& v, bool rows, bool batch) {
  const dims& shape = shape_of(v);
  if (shape.size() < 2 || !(rows || batch)) return v;  // a vector stays what it is
  dims order = ascending(static_cast<std::int64_t>(shape.size()), 1);
  if (batch) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (rows) std::swap(order.end()[-2], order.back());
  const movement m = transpose(shape, order, c.ceiling);
  if (const auto* x = std::get_if<computed>(&v))
    return moved(*x, m, c.n.name(), c.net.net().shape(x->node));
  return std::make_shared<const array>(apply(*std::get<std::shared_ptr<const array>>(v), m));
}

NVDLAC_IMPL std::vector<value> on_fused_mat_mul(const context& c) {
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
  return on_mat_mul({c.n, in, c.net, c.batch, c.ceiling});
}

NVDLAC_IMPL std::vector<value> on_quick_gelu(const context& c) {
  c.require_inputs(1, 1);
  const net::activation op{.function = net::function::swish,
                           .alpha = c.n.number("alpha", 1.702F)};
  return {activated(c, c.n.name(), op, c.in[0])};
}

}  // namespace nvdlac::import::onnx_format
