// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers with trained values, and poolings.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::darknet_format {

// Scale, mean and variance of each channel, in the order of the file.
inline net::batch_norm take_normalisation(const context& c, std::int64_t channels) {
  net::batch_norm norm{.epsilon = c.epsilon};
  norm.gamma = c.weights.take(c.name, {channels}, "factor");
  norm.mean = c.weights.take(c.name, {channels}, "mean");
  norm.variance = c.weights.take(c.name, {channels}, "variance");
  return norm;
}

// Sums of products, then the normalisation if there is one, to whose result the bias belongs, then
// the function.
template <class Op>
id trained_layer(const context& c, id x, Op op, std::vector<float> bias, net::batch_norm* norm,
                 const std::string& function) {
  const bool plain = function == "linear";
  if (norm == nullptr) op.bias = std::move(bias);
  else norm->beta = std::move(bias);
  x = c.add(c.step(plain && norm == nullptr, "/sum"), std::move(op), {x});
  if (norm != nullptr) x = c.add(c.step(plain, "/batch_norm"), std::move(*norm), {x});
  return activated(c, function, x);
}

inline std::int32_t padding_of(const context& c, std::int32_t size) {
  return c.s.flag("pad") ? size / 2 : c.small("padding", 0, 0);
}

inline id on_convolutional(const context& c) {
  c.refuse({"antialiasing", "binary", "xnor", "bin_output", "flipped", "coordconv", "sway",
            "rotate", "stretch", "stretch_sway"});
  if (c.s.find("share_index") != nullptr)
    throw error(problem{.line = c.line_of("share_index"),
                        .reason = "it shares the weights of another layer (share_index)",
                        .remedy = "weights of its own are supported"});
  const auto x = c.input();
  const net::shape in = c.shape(x);
  const auto size = c.small("size", 1), pad = padding_of(c, size), stride = c.small("stride", 1);
  const auto dilation = c.small("dilation", 1);
  const auto far = size == 1 ? 1 : dilation;
  const auto around = net::product({pad, far});
  if (around > 65535) throw error(text("its padding is ", around));
  const auto sides = static_cast<std::int32_t>(around);
  // Steps below 1 count as not given.
  const auto step = [&](const char* key) {
    const auto n = c.small(key, stride, -1);
    return n < 1 ? stride : n;
  };
  net::convolution op{.kernels = c.small("filters", 1),
                      .window = {.kernel_h = size, .kernel_w = size,
                                 .stride_h = step("stride_y"), .stride_w = step("stride_x"),
                                 .pad_top = sides, .pad_left = sides,
                                 .pad_bottom = sides, .pad_right = sides,
                                 .dilation_h = far, .dilation_w = far},
                      .groups = c.small("groups", 1)};
  const net::shape out = op.infer(std::span(&in, 1));  // before the sizes are used
  const auto in_darknet = [&](std::int32_t n, std::int32_t by) {
    return (std::int64_t{n} + 2 * std::int64_t{pad} - size) / by + 1;
  };
  if (in_darknet(in.h, op.window.stride_h) != out.h ||
      in_darknet(in.w, op.window.stride_w) != out.w)
    throw error(problem{.line = c.line_of("dilation"),
                        .reason = text("with dilation=", dilation, ", size=", size,
                                       " and a padding of ", pad,
                                       " Darknet's own sizes disagree"),
                        .remedy = "pad=1 and an odd size do not"});
  const auto function = function_of(c, "logistic", true);
  const bool normalised = c.s.flag("batch_normalize") || c.s.flag("cbn");
  auto bias = c.weights.take(c.name, {op.kernels}, "bias");
  net::batch_norm norm;
  if (normalised) norm = take_normalisation(c, op.kernels);
  op.weights = c.weights.take(c.name, {op.kernels, in.c / op.groups, size, size}, "weights");
  return trained_layer(c, x, std::move(op), std::move(bias), normalised ? &norm : nullptr,
                       function);
}

inline id on_deconvolutional(const context& c) {
  c.refuse({"flipped"});
  const auto x = c.input();
  const net::shape in = c.shape(x);
  const auto size = c.small("size", 1), pad = padding_of(c, size), stride = c.small("stride", 1);
  net::deconvolution op{.kernels = c.small("filters", 1),
                        .window = {.kernel_h = size, .kernel_w = size, .stride_h = stride,
                                   .stride_w = stride, .pad_top = pad, .pad_left = pad,
                                   .pad_bottom = pad, .pad_right = pad}};
  (void)op.infer(std::span(&in, 1));
  const auto function = function_of(c, "logistic");
  const bool normalised = c.s.flag("batch_normalize");
  auto bias = c.weights.take(c.name, {op.kernels}, "bias");
  net::batch_norm norm;
  if (normalised) norm = take_normalisation(c, op.kernels);
  const auto values = c.weights.take(c.name, {in.c, op.kernels, size, size}, "weights");
  if (!values.empty()) op.weights = net::by_kernel(values, op, in);
  return trained_layer(c, x, std::move(op), std::move(bias), normalised ? &norm : nullptr,
                       function);
}

inline id on_connected(const context& c) {
  const auto x = c.input();
  const net::shape in = c.shape(x);
  net::fully_connected op{.outputs = c.small("output", 1)};
  (void)op.infer(std::span(&in, 1));
  const auto function = function_of(c, "logistic");
  const auto inputs = static_cast<std::int64_t>(in.size());
  auto bias = c.weights.take(c.name, {op.outputs}, "bias");
  op.weights = c.weights.take(c.name, {op.outputs, inputs}, "weights");
  if (c.weights.transposed() && !op.weights.empty())
    op.weights = onnx_format::apply(onnx_format::array::of_reals({inputs, op.outputs}, op.weights),
                                    onnx_format::transpose({inputs, op.outputs}, {1, 0})).reals;
  const bool normalised = c.s.flag("batch_normalize");
  net::batch_norm norm;
  if (normalised) norm = take_normalisation(c, op.outputs);
  return trained_layer(c, x, std::move(op), std::move(bias), normalised ? &norm : nullptr,
                       function);
}

inline id on_batchnorm(const context& c) {
  const auto x = c.input();
  auto bias = c.weights.take(c.name, {c.shape(x).c}, "bias");
  auto norm = take_normalisation(c, c.shape(x).c);
  norm.beta = std::move(bias);
  return c.add(c.name, std::move(norm), {x});
}

// One side of Darknet's windows: its padding is the sum of both ends, of which the smaller half is
// before the picture.
struct pooled_side {
  std::int32_t before, after;

  pooled_side(std::int64_t in, std::int64_t size, std::int64_t stride, std::int64_t padding) {
    if (in + padding < size)
      throw error(text("its window of ", size, " is larger than the padded input of ",
                       in + padding));
    const auto out = (in + padding - size) / stride + 1;
    before = static_cast<std::int32_t>(padding / 2);
    after = static_cast<std::int32_t>(
        std::max<std::int64_t>((out - 1) * stride + size - in - padding / 2, 0));
  }
};

inline id pooled(const context& c, net::pool_kind kind) {
  c.refuse({"maxpool_depth", "antialiasing"});
  const auto x = c.input();
  const auto stride = c.small("stride", 1), size = c.small("size", stride);
  const auto step_w = c.small("stride_x", stride), step_h = c.small("stride_y", stride);
  const auto padding = c.small("padding", size - 1, 0);
  const pooled_side rows(c.shape(x).h, size, step_h, padding),
      columns(c.shape(x).w, size, step_w, padding);
  return c.add(c.name,
               net::pool{.kind = kind,
                         .window = {.kernel_h = size, .kernel_w = size, .stride_h = step_h,
                                    .stride_w = step_w, .pad_top = rows.before,
                                    .pad_left = columns.before, .pad_bottom = rows.after,
                                    .pad_right = columns.after}},
               {x});
}
inline id on_maxpool(const context& c) { return pooled(c, net::pool_kind::maximum); }
inline id on_local_avgpool(const context& c) { return pooled(c, net::pool_kind::average); }
inline id on_avgpool(const context& c) {
  return c.add(c.name, net::pool{.kind = net::pool_kind::average, .global = true}, {c.input()});
}

}  // namespace nvdlac::import::darknet_format
