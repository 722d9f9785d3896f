// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators with windows, and fully connected ones.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <nvdlac/import/tflite/conversion.hpp>

namespace nvdlac::import::tflite_format {

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

}  // namespace nvdlac::import::tflite_format
