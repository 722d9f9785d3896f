// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions, poolings and what works element by element.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/tflite/model.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::tflite_format {

using onnx_format::attribute;
using translation::names;
using translation::values;

// What the conversion of one operator works with: also its options.
class conversion : public translation::conversion {
 public:
  conversion(const operation& op, values& all)
      : translation::conversion(op.inputs, op.outputs, all), op_(op) {}

  // Options by their place in `known_options`.
  template <class T>
  T option(int number, T otherwise) const {
    return op_.options == nullptr ? otherwise : op_.options->get<T>(field(number), otherwise);
  }
  std::int64_t integer(int number, std::int32_t otherwise = 0) const {
    return option<std::int32_t>(number, otherwise);
  }
  std::int64_t byte(int number) const { return option<std::int8_t>(number, 0); }
  bool flag(int number, bool otherwise = false) const {
    const std::int64_t v = option<std::int8_t>(number, otherwise);
    if (v != 0 && v != 1) throw error(text("one of its options is ", v, ", not 0 or 1"));
    return v == 1;
  }
  // Options that repeat what the file tells of tensors; 0: they are left out.
  void require_type(int number, const translation::tensor& of) const {
    const auto& t = static_cast<const tensor&>(of);
    if (const auto v = byte(number); v != 0 && v != t.type)
      throw error(text("its options name the type ", type_name(v), ", but '", t.name, "' is of ",
                       type_name(t.type)));
  }
  void require_count(int number, std::size_t n, const char* what) const {
    if (const auto v = integer(number); v != 0 && std::cmp_not_equal(v, n))
      throw error(text("its options count ", v, ' ', what, " instead of ", n));
  }
  float number(int which) const { return option<float>(which, 0.0F); }
  std::optional<dims> numbers(int number) const {
    if (op_.options == nullptr || !op_.options->has(field(number))) return std::nullopt;
    const auto v = op_.options->numbers<std::int32_t>(field(number));
    return dims(v.begin(), v.end());
  }

  // The function that the operator applies to its result, by the number of its option.
  std::int64_t activation(int number) const {
    const auto a = byte(number);
    if (a < 0 || a > 4)
      throw error(problem{.reason = text("its fused activation is number ", a),
                          .remedy = "none, RELU, RELU_N1_TO_1, RELU6 and TANH are supported"});
    return a;
  }
  // The name of the layer that computes the result before its activation.
  std::string before(std::int64_t activation) const {
    return activation == 0 ? name() : name() + "/linear";
  }
  std::string activated(const std::string& value, std::int64_t activation) const {
    switch (activation) {
      case 1: return node("Relu", name(), {value});
      case 2: return clipped(value, -1, 1);
      case 3: return clipped(value, 0, 6);
      case 4: return node("Tanh", name(), {value});
      default: return value;
    }
  }
  void give_activated(translation::computed c, std::int64_t activation) const {
    c.value = activated(c.value, activation);
    give(std::move(c));
  }
  // The window of an operator whose options start with the padding, SAME or VALID, and the strides.
  translation::window window() const {
    using kind = translation::window::padding;
    const auto p = byte(0);
    if (p != 0 && p != 1) throw error(text("its padding is number ", p, ", not SAME or VALID"));
    return {.kind = p == 0 ? kind::same : kind::valid, .strides = {integer(2), integer(1)}};
  }

 private:
  const operation& op_;
};

// Operators with windows, and fully connected ones.

using translation::require_picture;

// The type of a bias may be an option, too.
inline void check_bias_type(const conversion& c, std::size_t i, int type) {
  if (type >= 0 && c.given(i)) c.require_type(type, c.in(i));
  if (type >= 0 && !c.given(i) && c.byte(type) != 0)
    throw error("its options name the type of a bias, which it does not have");
}

inline void convolve(const conversion& c, const array& weights, std::int64_t groups, int activation,
                     int dilation, int bias_type = -1) {
  const auto a = c.activation(activation);
  check_bias_type(c, 2, bias_type);
  auto w = c.window();
  w.dilations = {c.integer(dilation + 1, 1), c.integer(dilation, 1)};
  c.give_activated(translation::convolve(c, c.before(a), weights, groups, w, 2), a);
}

// Weights [kernels][h][w][channels].
inline void on_conv(const conversion& c) {
  c.require_inputs(2, 3);
  require_picture(c, 0);
  const array w = c.reals(1, "weights");
  if (w.shape.size() != 4 || w.shape[3] < 1)
    throw error(text("its weights have the shape ", onnx_format::to_text(w.shape)));
  const auto channels = c.shape(0)[3];
  if (channels % w.shape[3] != 0)
    throw error(text("its weights ", onnx_format::to_text(w.shape), " do not fit ", channels,
                     " channels"));
  convolve(c, translation::channels_second(w), channels / w.shape[3], 3, 4, 6);
}

// Weights [1][h][w][channels * multiplier].
inline void on_depthwise_conv(const conversion& c) {
  c.require_inputs(2, 3);
  require_picture(c, 0);
  const array w = c.reals(1, "weights");
  const auto channels = c.shape(0)[3], multiplier = c.integer(3);
  if (w.shape.size() != 4 || w.shape[0] != 1 || channels < 1 || w.shape[3] % channels != 0 ||
      (multiplier != 0 && multiplier != w.shape[3] / channels))
    throw error(text("its weights ", onnx_format::to_text(w.shape), " do not fit ", channels,
                     " channels and the multiplier ", multiplier));
  convolve(c, onnx_format::apply(w, onnx_format::transpose(w.shape, {3, 0, 1, 2})), channels, 4, 5);
}

// Weights [kernels][h][w][channels].
inline void on_transpose_conv(const conversion& c) {
  c.require_inputs(3, 4);
  require_picture(c, 2);
  const dims size = c.integers(0, "sizes");
  const array w = c.reals(1, "weights");
  if (size.size() != 4 || w.shape.size() != 4)
    throw error(text("its weights have the shape ", onnx_format::to_text(w.shape),
                     " and its output ", onnx_format::to_text(size)));
  const auto a = c.activation(3);
  const auto window = c.window();
  check_bias_type(c, 3, 4);
  c.give_activated(
      translation::convolve_transposed(
          c, c.before(a), 2, size,
          onnx_format::apply(w, onnx_format::transpose(w.shape, {3, 0, 1, 2})), window, 3),
      a);
}

template <class Pool>
void on_pool(const conversion& c, Pool pool) {
  c.require_inputs(1, 1);
  require_picture(c, 0);
  const auto a = c.activation(5);
  c.give_activated(pool(c.before(a), c.window(), dims{c.integer(4), c.integer(3)}), a);
}
inline void on_plain_pool(const conversion& c, const char* type) {
  on_pool(c, [&](const std::string& layer, const translation::window& w, const dims& kernel) {
    return translation::pool(c, type, layer, w, kernel);
  });
}
inline void on_average_pool(const conversion& c) { on_plain_pool(c, "AveragePool"); }
inline void on_max_pool(const conversion& c) { on_plain_pool(c, "MaxPool"); }
inline void on_l2_pool(const conversion& c) {
  on_pool(c, [&](const std::string& layer, const translation::window& w, const dims& kernel) {
    return translation::pool_squares(c, layer, w, kernel);
  });
}

// Weights [outputs][inputs].
inline void on_fully_connected(const conversion& c) {
  c.require_inputs(2, 3);
  const auto a = c.activation(0);
  if (c.byte(1) != 0) throw error("its weights are shuffled");
  (void)c.flag(3);  // whether real inputs become integers on the way, which they do not here
  const array w = c.reals(1, "weights");
  if (w.shape.size() != 2 || w.shape[1] < 1)
    throw error(text("its weights have the shape ", onnx_format::to_text(w.shape)));
  const auto& in = c.shape(0);
  const auto rows = onnx_format::count(in) / w.shape[1];
  if (rows != 1 || onnx_format::count(in) != w.shape[1])
    throw error(problem{.reason = text("its input ", onnx_format::to_text(in), " is not one row "
                                       "for weights ", onnx_format::to_text(w.shape)),
                        .remedy = "a single row of features is supported"});
  names inputs{c.reshaped(c.plain(0), {1, w.shape[1]}), c.all().write(w, c.name())};
  check_bias_type(c, 2, 4);
  if (c.given(2)) inputs.push_back(c.all().write(c.reals(2, "bias values"), c.name()));
  auto y = c.activated(c.node("Gemm", c.before(a), inputs, {{"transB", std::int64_t{1}}}), a);
  dims shape{1, w.shape[0]};
  if (c.flag(2)) {
    shape = in;
    shape.back() = w.shape[0];
  }
  if (c.out().shape.size() != shape.size())
    throw error(text("its output has the shape ", onnx_format::to_text(c.out().shape)));
  c.give_plain(shape.size() == 2 ? std::move(y) : c.reshaped(y, shape), shape);
}

inline void on_batch_mat_mul(const conversion& c) {
  c.require_inputs(2, 2);
  (void)c.flag(2);  // as of a fully connected layer
  c.give(translation::multiply_matrices(c, c.flag(0), c.flag(1)));
}

// Operators that compute element by element.

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
  // Integers that stand for themselves; ONNX's reader knows between which numbers they lie.
  const auto is_whole = [](const tensor& t) { return onnx_integer(t.type) != 0 && !t.grid; };
  const bool real = known(from) && known(to);
  if (!real && !(is_whole(from) && (known(to) || is_whole(to))))
    throw error(text("it converts ", type_name(from.type), " to ", type_name(to.type)));
  c.give(translation::mapped(c, [&](std::string x) {
    if (real) return x;
    return c.node("Cast", c.name(), {x}, {{"to", known(to) ? 1 : onnx_integer(to.type)}});
  }));
}

}  // namespace nvdlac::import::tflite_format
