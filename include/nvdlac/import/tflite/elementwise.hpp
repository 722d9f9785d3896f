// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that compute element by element.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <nvdlac/import/tflite/conversion.hpp>

namespace nvdlac::import::tflite_format {

inline void binary(const conversion& c, const char* type, int activation) {
  c.require_inputs(2, 2);
  const auto a = activation < 0 ? 0 : c.activation(activation);
  if (a == 0 && c.all_constant())
    return c.give_constant(onnx_format::fold_binary(type, c.constant(0, "values"),
                                                    c.constant(1, "values")));
  const bool picture = std::max(c.in(0).shape.size(), c.in(1).shape.size()) == 4;
  const auto operand = [&](std::size_t i) { return picture ? c.aligned(i) : c.picture(i); };
  c.give(c.activated(c.node(type, c.before(a), {operand(0), operand(1)}), a));
}
// Whether 16-bit scales are powers of two, which changes no real number, is read and left.
inline void sum(const conversion& c, const char* type) {
  (void)c.flag(1, true);
  binary(c, type, 0);
}
inline void on_add(const conversion& c) { sum(c, "Add"); }
inline void on_sub(const conversion& c) { sum(c, "Sub"); }
inline void on_mul(const conversion& c) { binary(c, "Mul", 0); }
inline void on_div(const conversion& c) { binary(c, "Div", 0); }
inline void on_maximum(const conversion& c) { binary(c, "Max", -1); }
inline void on_minimum(const conversion& c) { binary(c, "Min", -1); }
inline void on_pow(const conversion& c) { binary(c, "Pow", -1); }
inline void on_floor_mod(const conversion& c) { binary(c, "Mod", -1); }
inline void on_squared_difference(const conversion& c) {
  c.require_inputs(2, 2);
  const bool picture = std::max(c.in(0).shape.size(), c.in(1).shape.size()) == 4;
  const auto operand = [&](std::size_t i) { return picture ? c.aligned(i) : c.picture(i); };
  const auto d = c.node("Sub", c.name() + "/difference", {operand(0), operand(1)});
  c.give(c.node("Mul", c.name(), {d, d}));
}

inline void on_add_n(const conversion& c) {
  c.require_inputs(1, 1024);
  names inputs;
  for (std::size_t i = 0; i < c.inputs(); ++i) inputs.push_back(c.picture(i));
  c.give(c.node("Sum", c.name(), inputs));
}

inline void unary(const conversion& c, const char* type,
                  const std::vector<attribute>& attributes = {}) {
  c.require_inputs(1, 1);
  c.give(c.node(type, c.name(), {c.picture(0)}, attributes));
}
inline void on_abs(const conversion& c) { unary(c, "Abs"); }
inline void on_ceil(const conversion& c) { unary(c, "Ceil"); }
inline void on_cos(const conversion& c) { unary(c, "Cos"); }
inline void on_elu(const conversion& c) { unary(c, "Elu"); }
inline void on_exp(const conversion& c) { unary(c, "Exp"); }
inline void on_floor(const conversion& c) { unary(c, "Floor"); }
inline void on_hard_swish(const conversion& c) { unary(c, "HardSwish"); }
inline void on_log(const conversion& c) { unary(c, "Log"); }
inline void on_logistic(const conversion& c) { unary(c, "Sigmoid"); }
inline void on_neg(const conversion& c) { unary(c, "Neg"); }
inline void on_relu(const conversion& c) { unary(c, "Relu"); }
inline void on_round(const conversion& c) { unary(c, "Round"); }
inline void on_sign(const conversion& c) { unary(c, "Sign"); }
inline void on_sin(const conversion& c) { unary(c, "Sin"); }
inline void on_sqrt(const conversion& c) { unary(c, "Sqrt"); }
inline void on_tanh(const conversion& c) { unary(c, "Tanh"); }
inline void on_leaky_relu(const conversion& c) { unary(c, "LeakyRelu", {{"alpha", c.number(0)}}); }
inline void on_gelu(const conversion& c) {
  unary(c, "Gelu", {{"approximate", std::string(c.flag(0) ? "tanh" : "none")}});
}
inline void clip(const conversion& c, float low, float high) {
  c.require_inputs(1, 1);
  c.give(c.clipped(c.picture(0), low, high));
}
inline void on_relu6(const conversion& c) { clip(c, 0, 6); }
inline void on_relu_n1_to_1(const conversion& c) { clip(c, -1, 1); }
inline void on_relu_0_to_1(const conversion& c) { clip(c, 0, 1); }

inline void on_rsqrt(const conversion& c) {
  c.require_inputs(1, 1);
  c.give(c.node("Reciprocal", c.name(), {c.node("Sqrt", c.name() + "/sqrt", {c.picture(0)})}));
}
inline void on_square(const conversion& c) {
  c.require_inputs(1, 1);
  const auto x = c.picture(0);
  c.give(c.node("Mul", c.name(), {x, x}));
}

// One slope for each channel, or for each element.
inline void on_prelu(const conversion& c) {
  c.require_inputs(2, 2);
  const bool picture = c.in(0).shape.size() == 4;
  c.give(c.node("PRelu", c.name(), {c.picture(0), picture ? c.aligned(1) : c.picture(1)}));
}

inline void on_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  auto x = c.picture(0);
  if (const float beta = c.number(0); beta != 1.0F)
    x = c.node("Mul", c.name() + "/beta", {x, c.all().write_number(beta, c.name())});
  const bool picture = c.in(0).shape.size() == 4;
  c.give(c.node("Softmax", c.name(), {x}, {{"axis", std::int64_t{picture ? 1 : -1}}}));
}

inline void on_log_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  const bool picture = c.in(0).shape.size() == 4;
  c.give(c.node("LogSoftmax", c.name(), {c.picture(0)},
                {{"axis", std::int64_t{picture ? 1 : -1}}}));
}

inline void on_lrn(const conversion& c) {
  c.require_inputs(1, 1);
  const auto radius = c.integer(0);
  if (radius < 0 || radius > 65535) throw error(text("its radius is ", radius));
  const auto size = 2 * radius + 1;
  c.give(c.node("LRN", c.name(), {c.picture(0)},
                {{"size", size}, {"bias", c.number(1)},
                 {"alpha", c.number(2) * static_cast<float>(size)}, {"beta", c.number(3)}}));
}
inline void on_l2_normalisation(const conversion& c) {
  const auto a = c.activation(0);
  const bool picture = c.in(0).shape.size() == 4;
  c.require_inputs(1, 1);
  c.give(c.activated(c.node("LpNormalization", c.before(a), {c.picture(0)},
                            {{"axis", std::int64_t{picture ? 1 : -1}}, {"p", std::int64_t{2}}}),
                     a));
}

// To integers, from them, or from one kind of them to another: the real numbers stay.
inline void on_quantise(const conversion& c) {
  c.require_inputs(1, 1);
  if (c.is_constant(0)) return c.give_constant(c.reals(0, "values"));
  c.give(c.picture(0));
}
inline void on_cast(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_type(0, c.in(0));
  c.require_type(1, c.out());
  const auto known = [](const tensor& t) { return t.type == float32 || t.type == float16; };
  if (c.is_constant(0)) {
    array a = c.constant(0, "values");
    if (known(c.out()) && !a.real) {
      a.reals.assign(a.integers.begin(), a.integers.end());
      a.real = true;
    }
    if (known(c.out()) != a.real) throw error("it converts real constants to integers");
    return c.give_constant(std::move(a));
  }
  const bool bytes = c.in(0).holds_integers() && !c.in(0).grid;
  if (!known(c.out()) || !(known(c.in(0)) || bytes))
    throw error(text("it converts ", type_name(c.in(0).type), " to ", type_name(c.out().type)));
  c.give(c.picture(0));
}

}  // namespace nvdlac::import::tflite_format
