// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators with windows, and fully connected ones.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/tflite/conversion.hpp>

namespace nvdlac::import::tflite_format {

inline void require_picture(const conversion& c, std::size_t i) {
  if (c.in(i).shape.size() != 4)
    throw error(text("its input ", i, " has the shape ", onnx_format::to_text(c.in(i).shape),
                     ", not [1, height, width, channels]"));
}
inline attribute window(const char* name, std::int64_t h, std::int64_t w) {
  return {name, dims{h, w}};
}
// Adds the bias, if there is one, to the inputs of a node. Its type may be an option, too.
inline void add_bias(const conversion& c, std::size_t i, names& inputs, int type = -1) {
  if (type >= 0 && c.given(i)) c.require_type(type, c.in(i));
  if (type >= 0 && !c.given(i) && c.byte(type) != 0)
    throw error("its options name the type of a bias, which it does not have");
  if (c.given(i)) inputs.push_back(c.all().write(c.reals(i, "bias values"), c.name()));
}

inline void convolve(const conversion& c, array weights, std::int64_t groups, int activation,
                     int dilation, int bias_type = -1) {
  const auto a = c.activation(activation);
  names inputs{c.picture(0), c.all().write(weights, c.name())};
  add_bias(c, 2, inputs, bias_type);
  c.give(c.activated(c.node("Conv", c.before(a), inputs,
                            {c.padding(0), window("strides", c.integer(2), c.integer(1)),
                             window("dilations", c.integer(dilation + 1, 1),
                                    c.integer(dilation, 1)),
                             {"group", groups}}),
                     a));
}

// Weights [kernels][h][w][channels].
inline void on_conv(const conversion& c) {
  c.require_inputs(2, 3);
  require_picture(c, 0);
  const array w = c.reals(1, "weights");
  if (w.shape.size() != 4 || w.shape[3] < 1)
    throw error(text("its weights have the shape ", onnx_format::to_text(w.shape)));
  const auto channels = c.in(0).shape[3];
  if (channels % w.shape[3] != 0)
    throw error(text("its weights ", onnx_format::to_text(w.shape), " do not fit ", channels,
                     " channels"));
  convolve(c, channels_second(w), channels / w.shape[3], 3, 4, 6);
}

// Weights [1][h][w][channels * multiplier].
inline void on_depthwise_conv(const conversion& c) {
  c.require_inputs(2, 3);
  require_picture(c, 0);
  const array w = c.reals(1, "weights");
  const auto channels = c.in(0).shape[3], multiplier = c.integer(3);
  if (w.shape.size() != 4 || w.shape[0] != 1 || channels < 1 || w.shape[3] % channels != 0 ||
      (multiplier != 0 && multiplier != w.shape[3] / channels))
    throw error(text("its weights ", onnx_format::to_text(w.shape), " do not fit ", channels,
                     " channels and the multiplier ", multiplier));
  convolve(c, onnx_format::apply(w, onnx_format::transpose(w.shape, {3, 0, 1, 2})), channels, 4, 5);
}

// Weights [kernels][h][w][channels]. The output's size is given; as in a convolution from it to
// the input, what its windows lack is padding, the smaller half of it before.
inline void on_transpose_conv(const conversion& c) {
  c.require_inputs(3, 4);
  require_picture(c, 2);
  const dims size = c.integers(0, "sizes");
  const array w = c.reals(1, "weights");
  if (size.size() != 4 || w.shape.size() != 4)
    throw error(text("its weights have the shape ", onnx_format::to_text(w.shape),
                     " and its output ", onnx_format::to_text(size)));
  const bool same = std::get<std::string>(c.padding(0).value) == "SAME_UPPER";
  const auto a = c.activation(3);
  dims pads(4), rest(2), strides{c.integer(2), c.integer(1)};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto in = c.in(2).shape[i + 1], out = size[i + 1];
    if (strides[i] < 1 || strides[i] > 65535) throw error(text("its stride is ", strides[i]));
    const auto more = (in - 1) * strides[i] + w.shape[i + 1] - out;
    const auto all = std::max<std::int64_t>(more, 0);
    if (!same && all != 0)
      throw error(text("its output ", onnx_format::to_text(size), " is smaller than VALID gives"));
    pads[i] = all / 2;
    pads[i + 2] = all - all / 2;
    rest[i] = std::max<std::int64_t>(-more, 0);
  }
  names inputs{c.picture(2),
               c.all().write(onnx_format::apply(
                                 w, onnx_format::transpose(w.shape, {3, 0, 1, 2})), c.name())};
  add_bias(c, 3, inputs, 4);
  c.give(c.activated(c.node("ConvTranspose", c.before(a), inputs,
                            {{"pads", pads}, {"strides", strides}, {"output_padding", rest}}),
                     a));
}

inline std::string pooled(const conversion& c, const char* type, const std::string& layer,
                          const std::string& value) {
  return c.node(type, layer, {value},
                {c.padding(0), window("strides", c.integer(2), c.integer(1)),
                 window("kernel_shape", c.integer(4), c.integer(3))});
}
inline void on_pool(const conversion& c, const char* type) {
  c.require_inputs(1, 1);
  require_picture(c, 0);
  const auto a = c.activation(5);
  c.give(c.activated(pooled(c, type, c.before(a), c.picture(0)), a));
}
inline void on_average_pool(const conversion& c) { on_pool(c, "AveragePool"); }
inline void on_max_pool(const conversion& c) { on_pool(c, "MaxPool"); }
// The root of the mean of squares.
inline void on_l2_pool(const conversion& c) {
  c.require_inputs(1, 1);
  require_picture(c, 0);
  const auto a = c.activation(5);
  const auto x = c.picture(0);
  const auto mean = pooled(c, "AveragePool", c.name() + "/mean",
                           c.node("Mul", c.name() + "/square", {x, x}));
  c.give(c.activated(c.node("Sqrt", c.before(a), {mean}), a));
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
  const auto& in = c.in(0).shape;
  const auto rows = onnx_format::count(in) / w.shape[1];
  if (rows != 1 || onnx_format::count(in) != w.shape[1])
    throw error(problem{.reason = text("its input ", onnx_format::to_text(in), " is not one row "
                                       "for weights ", onnx_format::to_text(w.shape)),
                        .remedy = "a single row of features is supported"});
  names inputs{c.reshaped(c.plain(0), {1, w.shape[1]}), c.all().write(w, c.name())};
  add_bias(c, 2, inputs, 4);
  auto y = c.activated(c.node("Gemm", c.before(a), inputs, {{"transB", std::int64_t{1}}}), a);
  dims shape{1, w.shape[0]};
  if (c.flag(2)) {
    shape = in;
    shape.back() = w.shape[0];
  }
  if (c.out().shape.size() != shape.size())
    throw error(text("its output has the shape ", onnx_format::to_text(c.out().shape)));
  if (shape.size() == 2) c.give(std::move(y));
  else c.give_plain(c.reshaped(y, shape));
}

// The matrices of the last two dimensions, turned where the options say so.
inline void on_batch_mat_mul(const conversion& c) {
  c.require_inputs(2, 2);
  (void)c.flag(2);  // as of a fully connected layer
  const auto operand = [&](std::size_t i) {
    const auto rank = c.in(i).shape.size();
    if (rank < 2) throw error(text("its input ", i, " is no matrix"));
    auto m = c.plain(i);
    if (!c.flag(static_cast<int>(i))) return m;
    dims order = onnx_format::ascending(static_cast<std::int64_t>(rank), 1);
    std::swap(order[rank - 1], order[rank - 2]);
    return c.node("Transpose", c.name(), {m}, {{"perm", order}});
  };
  c.require_rank(std::max(c.in(0).shape.size(), c.in(1).shape.size()));
  c.give_plain(c.node("MatMul", c.name(), {operand(0), operand(1)}));
}

}  // namespace nvdlac::import::tflite_format
