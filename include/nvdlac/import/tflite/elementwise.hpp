// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that compute element by element.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <nvdlac/import/tflite/conversion.hpp>
#include <nvdlac/import/translation/elementwise.hpp>

namespace nvdlac::import::tflite_format {

inline void binary(const conversion& c, const char* type, int activation) {
  c.require_inputs(2, 2);
  const auto a = activation < 0 ? 0 : c.activation(activation);
  if (a == 0 && c.all_constant()) return c.give_constant(translation::fold_binary(c, type));
  c.give_activated(translation::binary(c, type, c.before(a)), a);
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
  c.give(translation::squared_difference(c));
}

inline void on_add_n(const conversion& c) { c.give(translation::sum_of_all(c)); }

inline void unary(const conversion& c, const char* type,
                  const std::vector<attribute>& attributes = {}) {
  c.give(translation::unary(c, type, attributes));
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
inline void on_relu6(const conversion& c) { c.give(translation::clip(c, 0, 6)); }
inline void on_relu_n1_to_1(const conversion& c) { c.give(translation::clip(c, -1, 1)); }
inline void on_relu_0_to_1(const conversion& c) { c.give(translation::clip(c, 0, 1)); }
inline void on_rsqrt(const conversion& c) { c.give(translation::reciprocal_root(c)); }
inline void on_square(const conversion& c) { c.give(translation::square(c)); }

// One slope for each channel, or for each element.
inline void on_prelu(const conversion& c) {
  c.require_inputs(2, 2);
  const bool picture = c.shape(0).size() == 4;
  c.give({c.node("PRelu", c.name(), {c.picture(0), picture ? c.aligned(1) : c.picture(1)}), {},
          translation::order::channels_second});
}

inline void on_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  const auto order = c.common_order();
  auto x = c.in_order(0, order);
  if (const float beta = c.number(0); beta != 1.0F)
    x = c.node("Mul", c.name() + "/beta", {x, c.all().write_number(beta, c.name())});
  c.give({c.node("Softmax", c.name(), {x}, {{"axis", c.last_axis(0, order)}}), {}, order});
}
inline void on_log_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  c.give(translation::along_channels(c, "LogSoftmax", c.name()));
}

inline void on_lrn(const conversion& c) {
  c.give(translation::local_response(c, c.integer(0), c.number(1), c.number(2), c.number(3)));
}
inline void on_l2_normalisation(const conversion& c) {
  const auto a = c.activation(0);
  c.require_inputs(1, 1);
  c.give_activated(translation::along_channels(c, "LpNormalization", c.before(a),
                                               {{"p", std::int64_t{2}}}),
                   a);
}

// To integers, from them, or from one kind of them to another: the real numbers stay.
inline void on_quantise(const conversion& c) {
  c.require_inputs(1, 1);
  if (c.is_constant(0)) return c.give_constant(c.reals(0, "values"));
  c.give(translation::mapped(c, [](std::string x) { return x; }));
}
inline void on_cast(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_type(0, c.in(0));
  c.require_type(1, c.out());
  const auto& from = static_cast<const tensor&>(c.in(0));
  const auto& to = static_cast<const tensor&>(c.out());
  const auto known = [](const tensor& t) { return t.type == float32 || t.type == float16; };
  if (c.is_constant(0)) {
    array a = c.constant(0, "values");
    if (known(to) && !a.real) {
      a.reals.assign(a.integers.begin(), a.integers.end());
      a.real = true;
    }
    if (known(to) != a.real) throw error("it converts real constants to integers");
    return c.give_constant(std::move(a));
  }
  const bool bytes = from.holds_integers && !from.grid;
  if (!known(to) || !(known(from) || bytes))
    throw error(text("it converts ", type_name(from.type), " to ", type_name(to.type)));
  c.give(translation::mapped(c, [](std::string x) { return x; }));
}

}  // namespace nvdlac::import::tflite_format
