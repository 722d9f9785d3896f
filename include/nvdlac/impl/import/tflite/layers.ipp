// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tflite/layers.hpp>
#include <nvdlac/import/tflite/model.hpp>
#include <nvdlac/import/translation/conversion.hpp>
#include <nvdlac/import/translation/recurrent.hpp>

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL bool conversion::flag(int number, bool otherwise) const {
  const std::int64_t v = option<std::int8_t>(number, otherwise);
  if (v != 0 && v != 1) throw error(text("one of its options is ", v, ", not 0 or 1"));
  return v == 1;
}

NVDLAC_IMPL void conversion::require_type(int number, const translation::tensor& of) const {
  const auto& t = static_cast<const tensor&>(of);
  if (const auto v = byte(number); v != 0 && v != t.type)
    throw error(text("its options name the type ", type_name(v), ", but '", t.name, "' is of ",
                     type_name(t.type)));
}

NVDLAC_IMPL void conversion::require_count(int number, std::size_t n, const char* what) const {
  if (const auto v = integer(number); v != 0 && std::cmp_not_equal(v, n))
    throw error(text("its options count ", v, ' ', what, " instead of ", n));
}

NVDLAC_IMPL std::optional<dims> conversion::numbers(int number) const {
  if (op_.options == nullptr || !op_.options->has(field(number))) return std::nullopt;
  const auto v = op_.options->numbers<std::int32_t>(field(number));
  return dims(v.begin(), v.end());
}

NVDLAC_IMPL std::int64_t conversion::activation(int number) const {
  const auto a = byte(number);
  if (a < 0 || a > 4)
    throw error(problem{.reason = text("its fused activation is number ", a),
                        .remedy = "none, RELU, RELU_N1_TO_1, RELU6 and TANH are supported"});
  return a;
}

NVDLAC_IMPL std::string conversion::activated(const std::string& value,
                                              std::int64_t activation) const {
  switch (activation) {
    case 1: return node("Relu", name(), {value});
    case 2: return clipped(value, -1, 1);
    case 3: return clipped(value, 0, 6);
    case 4: return node("Tanh", name(), {value});
    default: return value;
  }
}

NVDLAC_IMPL void conversion::give_activated(translation::computed c,
                                            std::int64_t activation) const {
  c.value = activated(c.value, activation);
  give(std::move(c));
}

NVDLAC_IMPL translation::window conversion::window() const {
  using kind = translation::window::padding;
  const auto p = byte(0);
  if (p != 0 && p != 1) throw error(text("its padding is number ", p, ", not SAME or VALID"));
  return {.kind = p == 0 ? kind::same : kind::valid, .strides = {integer(2), integer(1)}};
}

NVDLAC_IMPL void check_bias_type(const conversion& c, std::size_t i, int type) {
  if (type >= 0 && c.given(i)) c.require_type(type, c.in(i));
  if (type >= 0 && !c.given(i) && c.byte(type) != 0)
    throw error("its options name the type of a bias, which it does not have");
}

NVDLAC_IMPL void convolve(const conversion& c, const array& weights, std::int64_t groups,
                          int activation, int dilation, int bias_type) {
  const auto a = c.activation(activation);
  check_bias_type(c, 2, bias_type);
  auto w = c.window();
  w.dilations = {c.integer(dilation + 1, 1), c.integer(dilation, 1)};
  if (const auto& around = c.blocks()) {
    using kind = translation::window::padding;
    if (w.kind != kind::valid || w.strides != dims{1, 1} || w.dilations != dims{1, 1})
      throw error("it is no plain convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND");
    w.kind = kind::given;
    w.dilations = around->sizes;
    w.pads = around->pads;
  }
  c.give_activated(translation::convolve(c, c.before(a), weights, groups, w, 2), a);
}

NVDLAC_IMPL void on_conv(const conversion& c) {
  c.require_inputs(2, 3);
  require_picture(c, 0);
  const array w = c.reals(1, "weights");
  if (w.shape.size() != 4 || w.shape[3] < 1)
    throw error(text("its weights have the shape ", onnx_format::to_text(w.shape)));
  const auto channels = c.shape(0)[3];
  if (channels % w.shape[3] != 0)
    throw error(text("its weights ", onnx_format::to_text(w.shape), " do not fit ", channels,
                     " channels"));
  convolve(c, translation::channels_second(w, c.ceiling()), channels / w.shape[3], 3, 4, 6);
}

NVDLAC_IMPL void on_depthwise_conv(const conversion& c) {
  c.require_inputs(2, 3);
  require_picture(c, 0);
  const array w = c.reals(1, "weights");
  const auto channels = c.shape(0)[3], multiplier = c.integer(3);
  if (w.shape.size() != 4 || w.shape[0] != 1 || channels < 1 || w.shape[3] % channels != 0 ||
      (multiplier != 0 && multiplier != w.shape[3] / channels))
    throw error(text("its weights ", onnx_format::to_text(w.shape), " do not fit ", channels,
                     " channels and the multiplier ", multiplier));
  convolve(c, onnx_format::apply(w, onnx_format::transpose(w.shape, {3, 0, 1, 2}, c.ceiling())),
           channels, 4, 5);
}

NVDLAC_IMPL void on_sequence_lstm(const conversion& c) {
  c.require_inputs(9, 24);
  if (c.byte(0) != 4)
    throw error(problem{.reason = text("its activation is number ", c.byte(0)),
                        .remedy = "TANH is supported"});
  if (c.number(1) != 0 || c.number(2) != 0)
    throw error(problem{.reason = "it clips its cell or its projection",
                        .remedy = "leave the clips out, which training needs"});
  for (const std::size_t i : {16u, 17u, 20u, 21u, 22u, 23u})
    if (c.given(i))
      throw error("it has a projection or a normalisation, which are not supported");
  const bool time_first = c.flag(3);
  const dims& shape = c.shape(0);
  if (shape.size() != 3 || shape[time_first ? 1 : 0] != 1)
    throw error("its input has the shape " + onnx_format::to_text(shape));
  // Gates in the file: input, forget, cell, output; in ONNX: input, output, forget, cell.
  constexpr std::size_t order[]{0, 3, 1, 2};
  translation::recurrence r{.steps = shape[time_first ? 0 : 1], .gates = 4};
  const auto gate = [&](std::size_t i, std::int64_t columns, const char* what) {
    const array a = c.reals(i, what);
    if (a.shape.empty() || (columns > 0 && a.shape != dims{r.hidden, columns}))
      throw error(text("its ", what, " have the shape ", onnx_format::to_text(a.shape)));
    return a;
  };
  r.hidden = gate(8, 0, "recurrent weights").shape[0];
  const auto append = [](std::vector<float>& to, const array& a) {
    to.insert(to.end(), a.reals.begin(), a.reals.end());
  };
  for (const auto g : order) {
    if (!c.given(1 + g) || !c.given(5 + g) || !c.given(12 + g))
      throw error("it couples its gates, which is not supported");
    append(r.of_inputs, gate(1 + g, shape[2], "weights"));
    append(r.of_state, gate(5 + g, r.hidden, "recurrent weights"));
    append(r.biases, gate(12 + g, 0, "biases"));
  }
  if (std::cmp_not_equal(r.biases.size(), 4 * r.hidden))
    throw error(text("it has ", r.biases.size(), " biases"));
  if (c.given(9) || c.given(10) || c.given(11))
    for (const std::size_t i : {9u, 11u, 10u}) {  // of the gates input, output and forget
      if (!c.given(i)) throw error("it has peepholes of some of its gates alone");
      append(r.peepholes, gate(i, 0, "peepholes"));
    }
  if (std::cmp_not_equal(r.peepholes.size(), r.peepholes.empty() ? 0 : 3 * r.hidden))
    throw error(text("it has ", r.peepholes.size(), " weights of peepholes"));
  r.biases.resize(2 * r.biases.size(), 0.0F);
  const auto x = time_first ? c.reshaped(c.plain(0), {1, r.steps, shape[2]}) : c.plain(0);
  const dims out = time_first ? dims{r.steps, 1, r.hidden} : dims{1, r.steps, r.hidden};
  c.give_plain(c.reshaped(translation::all_steps(c, "LSTM", r, x), out), out);
}

NVDLAC_IMPL void on_transpose_conv(const conversion& c) {
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
          onnx_format::apply(w, onnx_format::transpose(w.shape, {3, 0, 1, 2}, c.ceiling())),
          window, 3),
      a);
}

NVDLAC_IMPL void pool(const conversion& c, const char* type) {
  on_pool(c, [&](const std::string& layer, const translation::window& w, const dims& kernel) {
    return translation::pool(c, type, layer, w, kernel);
  });
}

NVDLAC_IMPL void on_l2_pool(const conversion& c) {
  on_pool(c, [&](const std::string& layer, const translation::window& w, const dims& kernel) {
    return translation::pool_squares(c, layer, w, kernel);
  });
}

NVDLAC_IMPL void on_fully_connected(const conversion& c) {
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

NVDLAC_IMPL void on_batch_mat_mul(const conversion& c) {
  c.require_inputs(2, 2);
  (void)c.flag(2);  // as of a fully connected layer
  c.give(translation::multiply_matrices(c, c.flag(0), c.flag(1)));
}

NVDLAC_IMPL void binary(const conversion& c, const char* type, int activation) {
  c.require_inputs(2, 2);
  const auto a = activation < 0 ? 0 : c.activation(activation);
  if (a == 0 && c.all_constant()) return c.give_constant(translation::fold_binary(c, type));
  c.give_activated(translation::binary(c, type, c.before(a)), a);
}

NVDLAC_IMPL void sum(const conversion& c, const char* type) {
  (void)c.flag(1, true);
  binary(c, type, 0);
}

NVDLAC_IMPL void on_squared_difference(const conversion& c) {
  c.require_inputs(2, 2);
  c.give(translation::squared_difference(c));
}

NVDLAC_IMPL void unary(const conversion& c, const char* type,
                       const std::vector<attribute>& attributes) {
  c.give(translation::unary(c, type, attributes));
}

NVDLAC_IMPL void on_gelu(const conversion& c) {
  unary(c, "Gelu", {{"approximate", std::string(c.flag(0) ? "tanh" : "none")}});
}

NVDLAC_IMPL void on_prelu(const conversion& c) {
  c.require_inputs(2, 2);
  const bool picture = c.shape(0).size() == 4;
  c.give({c.node("PRelu", c.name(), {c.picture(0), picture ? c.aligned(1) : c.picture(1)}), {},
          translation::order::channels_second});
}

NVDLAC_IMPL void on_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  const auto order = c.common_order();
  auto x = c.in_order(0, order);
  if (const float beta = c.number(0); beta != 1.0F)
    x = c.node("Mul", c.name() + "/beta", {x, c.all().write_number(beta, c.name())});
  c.give({c.node("Softmax", c.name(), {x}, {{"axis", c.last_axis(0, order)}}), {}, order});
}

NVDLAC_IMPL void on_log_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  c.give(translation::along_channels(c, "LogSoftmax", c.name()));
}

NVDLAC_IMPL void on_lrn(const conversion& c) {
  c.give(translation::local_response(c, c.integer(0), c.number(1), c.number(2), c.number(3)));
}

NVDLAC_IMPL void on_l2_normalisation(const conversion& c) {
  const auto a = c.activation(0);
  c.require_inputs(1, 1);
  c.give_activated(translation::along_channels(c, "LpNormalization", c.before(a),
                                               {{"p", std::int64_t{2}}}),
                   a);
}

NVDLAC_IMPL void on_quantise(const conversion& c) {
  c.require_inputs(1, 1);
  if (c.is_constant(0)) return c.give_constant(c.reals(0, "values"));
  c.give(translation::mapped(c, [](std::string x) { return x; }));
}

NVDLAC_IMPL void on_cast(const conversion& c) {
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
