// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/mxnet/conversion.hpp>
#include <nvdlac/import/mxnet/operators.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::mxnet_format {

NVDLAC_IMPL std::size_t spatial(const operand& x) {
  if (x.rank != 3 && x.rank != 4)
    throw error(problem{.reason = text("its input has ", count_of(x.rank, "dimension")),
                        .remedy = "pictures [1, channels, height, width] are supported"});
  return x.rank - 2;
}

NVDLAC_IMPL sliding_window window_of(const conversion& c, std::size_t axes) {
  c.n.require("layout", {"NCHW", "NCW"});
  return {.kernel = c.n.per_axis("kernel", axes, 1), .strides = c.n.per_axis("stride", axes, 1),
          .pads = sliding_window::both_sides(c.n.per_axis("pad", axes, 0)),
          .dilations = c.n.per_axis("dilate", axes, 1)};
}

NVDLAC_IMPL const operand& weights_of(const conversion& c, std::size_t axis, const char* count,
                                      std::int64_t parts) {
  const auto& w = c.in(1);
  const auto& shape = w.numbers("weights").shape;
  const auto n = c.n.integer(count);
  if (shape.size() <= axis || shape[axis] * parts != n)
    throw error(text("its weights ", onnx_format::to_text(shape), " do not fit its ", count, ' ',
                     n));
  return w;
}

NVDLAC_IMPL results on_convolution(const conversion& c) {
  const auto& x = c.in(0);
  const auto bias = c.bias(2, false);
  return {c.to().convolve(c.name(), x, weights_of(c, 0, "num_filter"), bias,
                          window_of(c, spatial(x)), c.n.integer("num_group", 1))};
}

NVDLAC_IMPL results on_deconvolution(const conversion& c) {
  const auto& x = c.in(0);
  const auto bias = c.bias(2, true);
  const auto groups = c.n.integer("num_group", 1);
  if (const auto shape = c.n.integers("target_shape");
      shape && std::ranges::any_of(*shape, [](auto v) { return v != 0; }))
    throw error("its target_shape is not supported");
  return {c.to().convolve_transposed(c.name(), x, weights_of(c, 1, "num_filter", groups), bias,
                                     window_of(c, spatial(x)), groups,
                                     c.n.per_axis("adj", spatial(x), 0))};
}

NVDLAC_IMPL results on_fully_connected(const conversion& c) {
  auto x = c.in(0);
  const auto bias = c.bias(2, false);
  if (c.n.flag("flatten", true) && x.rank != 2)
    x = c.to().node("Flatten", c.name() + "/flat", {x}, 2);
  return {c.to().fully_connected(c.name(), x, weights_of(c, 0, "num_hidden"), bias)};
}

NVDLAC_IMPL results on_batch_norm(const conversion& c) {
  c.require_inputs(5, 5);
  if (c.n.integer("axis", 1) != 1) throw error("its axis is not 1, which is not supported");
  c.n.ignore({"momentum", "use_global_stats", "output_mean_var", "min_calib_range",
              "max_calib_range"});
  auto scales = c.in(1);
  if (c.n.flag("fix_gamma", true)) {
    auto ones = scales.numbers("scales");
    std::ranges::fill(ones.reals, 1.0F);
    scales = operand::of(std::move(ones));
  }
  return {c.to().batch_norm(c.name(), c.in(0), scales, c.in(2), c.in(3), c.in(4),
                            c.n.number("eps", 1e-3F))};
}

NVDLAC_IMPL results function(const conversion& c, const std::string& type,
                             const std::vector<translation::attribute>& attributes) {
  c.require_inputs(1, 1);
  return {c.to().node(type, c.name(), {c.in(0)}, c.in(0).rank, attributes)};
}

NVDLAC_IMPL results on_activation(const conversion& c) {
  static const std::map<std::string_view, const char*> all = {
      {"relu", "Relu"}, {"sigmoid", "Sigmoid"}, {"softrelu", "Softplus"},
      {"softsign", "Softsign"}, {"tanh", "Tanh"}};
  const auto type = c.n.string("act_type", "");
  const auto found = all.find(type);
  if (found == all.end())
    throw error(problem{.reason = "its act_type is '" + type + "', which is not supported",
                        .remedy = "supported are " + translation::names_of(all)});
  return function(c, found->second);
}

NVDLAC_IMPL results on_leaky_relu(const conversion& c) {
  const auto type = c.n.string("act_type", "leaky");
  const float slope = c.n.number("slope", 0.25F), low = c.n.number("lower_bound", 0.125F),
              high = c.n.number("upper_bound", 0.334F);
  if (type == "prelu") {
    c.require_inputs(2, 2);
    return {c.to().prelu(c.name(), c.in(0), c.in(1))};
  }
  if (type == "leaky") return function(c, "LeakyRelu", {{"alpha", slope}});
  if (type == "rrelu") return function(c, "LeakyRelu", {{"alpha", (low + high) / 2}});
  if (type == "elu") return function(c, "Elu", {{"alpha", slope}});
  if (type == "selu") return function(c, "Selu");
  if (type == "gelu") return function(c, "Gelu");
  throw error(problem{.reason = "its act_type is '" + type + "', which is not supported",
                      .remedy = "leaky, prelu, rrelu, elu, selu and gelu are supported"});
}

NVDLAC_IMPL results on_clip(const conversion& c) {
  c.require_inputs(1, 1);
  return {c.to().clipped(c.name(), c.in(0), c.n.number("a_min", {}), c.n.number("a_max", {}))};
}

NVDLAC_IMPL results on_pooling(const conversion& c) {
  c.require_inputs(1, 1);
  const auto& x = c.in(0);
  const auto axes = spatial(x);
  const auto kind = c.n.string("pool_type", "max");
  const auto rounding = c.n.string("pooling_convention", "valid");
  auto w = window_of(c, axes);
  const bool counts = c.n.flag("count_include_pad", true);
  if (kind != "max" && kind != "avg")
    throw error(problem{.reason = "its pool_type is " + kind,
                        .remedy = "max and avg are supported"});
  if (c.n.flag("global_pool", false))
    return function(c, kind == "max" ? "GlobalMaxPool" : "GlobalAveragePool");
  if (rounding != "valid" && rounding != "full")
    throw error(problem{.reason = "its pooling_convention is " + rounding,
                        .remedy = "valid and full are supported"});
  if (!c.n.integers("kernel")) throw error("its kernel is missing");
  w.ceil = rounding == "full";
  // MXNet keeps a last window that begins in the padding behind; ONNX drops it.
  for (std::size_t i = 0; w.ceil && i < axes; ++i)
    if (static_cast<double>(w.strides[i]) + static_cast<double>(w.pads[i]) >
        static_cast<double>(w.kernel[i]))
      throw error(problem{.reason = text("its pooling_convention is full, and its stride ",
                                         w.strides[i], " and pad ", w.pads[i],
                                         " are larger than its kernel ", w.kernel[i]),
                          .remedy = "stride and pad together may be as large as the kernel"});
  return {c.to().pool(c.name(), kind == "max" ? "MaxPool" : "AveragePool", x, w, counts)};
}

NVDLAC_IMPL results on_lrn(const conversion& c) {
  return function(c, "LRN",
                  {{"size", c.n.integer("nsize")}, {"alpha", c.n.number("alpha", 1e-4F)},
                   {"beta", c.n.number("beta", 0.75F)}, {"bias", c.n.number("knorm", 2)}});
}

NVDLAC_IMPL results soft_maximum(const conversion& c, std::int64_t axis) {
  c.require_inputs(1, 2);
  return {c.to().node("Softmax", c.name(), {c.in(0)}, c.in(0).rank,
                      {{"axis", onnx_format::checked_axis(axis, c.in(0).rank)}})};
}

NVDLAC_IMPL results on_softmax_output(const conversion& c) {
  c.n.ignore({"grad_scale", "ignore_label", "use_ignore", "normalization", "out_grad",
              "smooth_alpha"});
  const bool channels = c.n.flag("multi_output", false), last = c.n.flag("preserve_shape", false);
  if (!channels && !last && c.in(0).rank != 2)
    throw error("it has no multi_output, so that it takes all elements of a picture together");
  return soft_maximum(c, channels || c.in(0).rank == 2 ? 1 : -1);
}

NVDLAC_IMPL results on_softmax_activation(const conversion& c) {
  c.require_inputs(1, 1);
  const auto mode = c.n.string("mode", "instance");
  if (mode != "channel" && (mode != "instance" || c.in(0).rank != 2))
    throw error("its mode is " + mode + ", so that it takes all elements of a picture together");
  return soft_maximum(c, 1);
}

NVDLAC_IMPL results on_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  c.n.require("temperature", {"1", "1.0"});
  c.n.require("use_length", {"False", "0"});
  return soft_maximum(c, c.n.integer("axis", -1));
}

NVDLAC_IMPL results on_dropout(const conversion& c) {
  c.n.require("mode", {"training"});
  c.n.ignore({"p", "axes"});
  return {c.only()};
}

NVDLAC_IMPL results on_regression_output(const conversion& c) {
  c.require_inputs(1, 2);
  c.n.ignore({"grad_scale"});
  return {c.in(0)};
}

NVDLAC_IMPL results on_make_loss(const conversion& c) {
  c.n.ignore({"grad_scale", "valid_thresh", "normalization"});
  return {c.only()};
}

NVDLAC_IMPL results on_sum_of_all(const conversion& c) {
  const auto all = c.all();
  return {c.to().node("Sum", c.name(), all, all[0].rank)};
}

NVDLAC_IMPL results on_concat(const conversion& c) {
  const auto all = c.all();
  return {c.to().node("Concat", c.name(), all, all[0].rank, {{"axis", c.n.integer("dim", 1)}})};
}

NVDLAC_IMPL results on_flatten(const conversion& c) {
  c.require_inputs(1, 1);
  return {c.to().node("Flatten", c.name(), {c.in(0)}, 2)};
}

NVDLAC_IMPL results on_reshape(const conversion& c) {
  c.require_inputs(1, 1);
  c.n.require("reverse", {"False", "0"});
  const auto shape = c.n.integers("shape").value_or(dims{});
  if (shape.empty() || std::ranges::any_of(shape, [](auto v) { return v < -1; }))
    throw error(problem{.reason = "its shape is " + onnx_format::to_text(shape),
                        .remedy = "sizes, 0 (as it was) and -1 (the rest) are supported"});
  return {c.to().reshaped(c.name(), c.in(0), shape)};
}

NVDLAC_IMPL results on_transpose(const conversion& c) {
  c.require_inputs(1, 1);
  const auto& x = c.in(0);
  auto order = c.n.integers("axes").value_or(dims{});
  if (order.empty()) {
    order = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
    std::ranges::reverse(order);
  }
  return {c.to().transposed(c.name(), x, order)};
}

NVDLAC_IMPL results on_swap_axis(const conversion& c) {
  const auto& x = c.only();
  auto order = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(onnx_format::checked_axis(c.n.integer(name, 0), x.rank));
  };
  std::swap(order.at(at("dim1")), order.at(at("dim2")));
  return {c.to().transposed(c.name(), x, order)};
}

NVDLAC_IMPL results on_expand_dims(const conversion& c) {
  c.require_inputs(1, 1);
  const auto axis = onnx_format::checked_axis(c.n.integer("axis"), c.in(0).rank + 1);
  return {c.to().node("Unsqueeze", c.name(), {c.in(0), c.to().integers({axis})},
                      c.in(0).rank + 1)};
}

NVDLAC_IMPL results on_slice_axis(const conversion& c) {
  constexpr auto whole = std::numeric_limits<std::int64_t>::max();
  const auto& x = c.only();
  return {c.to().sliced(c.name(), x, onnx_format::checked_axis(c.n.integer("axis"), x.rank),
                        c.n.integer("begin"), c.n.integer("end", whole))};
}

NVDLAC_IMPL results on_slice_channel(const conversion& c) {
  const auto& x = c.only();
  const auto n = c.n.integer("num_outputs");
  if (n < 1 || n > 4096) throw error(text("its num_outputs is ", n));
  const auto axis = onnx_format::checked_axis(c.n.integer("axis", 1), x.rank);
  const bool squeeze = c.n.flag("squeeze_axis", false);
  const auto count = static_cast<std::size_t>(n);
  // Each layer knows as many of its outputs as are read; it has all of them.
  auto all = c.to().several("Split", c.name(), {x}, std::vector(count, x.rank), {{"axis", axis}});
  if (squeeze)
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = c.to().squeezed(text(c.name(), "/", i), all[i], {axis});
  return all;
}

NVDLAC_IMPL results on_pad(const conversion& c) {
  const auto& x = c.only();
  const auto width = c.n.integers("pad_width").value_or(dims{});
  const auto mode = c.n.string("mode", "constant");
  const float value = c.n.number("constant_value", 0.0F);
  if (width.size() != 2 * x.rank)
    throw error(text("its pad_width is ", onnx_format::to_text(width)));
  dims pads(width.size(), 0);
  for (std::size_t i = 0; i < width.size(); ++i) pads[i / 2 + i % 2 * x.rank] = width[i];
  std::vector<operand> inputs{x, c.to().integers(pads)};
  if (mode == "constant") inputs.push_back(c.to().number(value));
  return {c.to().node("Pad", c.name(), inputs, x.rank, {{"mode", mode}})};
}

NVDLAC_IMPL results on_up_sampling(const conversion& c) {
  c.require_inputs(1, 1);
  c.n.require("sample_type", {"nearest"});
  const auto scale = c.n.integer("scale");
  c.n.ignore({"num_filter", "multi_input_mode"});
  (void)c.all();
  if (c.in(0).rank != 4 || scale < 1 || scale > 65535) throw error(text("its scale is ", scale));
  return {c.to().repeated(c.name(), c.in(0), static_cast<float>(scale),
                          static_cast<float>(scale))};
}

NVDLAC_IMPL results on_mean(const conversion& c) {
  const auto& x = c.only();
  auto axes = c.n.integers("axis").value_or(dims{});
  c.n.require("exclude", {"False", "0"});
  if (axes.empty()) axes = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
  for (auto& a : axes) a = onnx_format::checked_axis(a, x.rank);
  const bool keep = c.n.flag("keepdims", false);
  return {c.to().node("ReduceMean", c.name(), {x},
                      keep ? x.rank : x.rank - std::min(axes.size(), x.rank),
                      {{"axes", axes}, {"keepdims", std::int64_t{keep}}})};
}

NVDLAC_IMPL results on_cast(const conversion& c) {
  c.n.require("dtype", {"float32", "float16", "float64"});
  return {c.only()};
}

NVDLAC_IMPL const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = {
      {"Activation", {on_activation}}, {"BatchNorm", {on_batch_norm}},
      {"BlockGrad", {on_unchanged}}, {"Cast", {on_cast}}, {"Concat", {on_concat}},
      {"Convolution", {on_convolution}}, {"Deconvolution", {on_deconvolution}},
      {"Dropout", {on_dropout}}, {"ElementWiseSum", {on_sum_of_all}}, {"Flatten", {on_flatten}},
      {"FullyConnected", {on_fully_connected}}, {"LRN", {on_lrn}},
      {"LeakyReLU", {on_leaky_relu}}, {"LinearRegressionOutput", {on_regression_output}},
      {"LogisticRegressionOutput",
       {[](const conversion& c) {
         c.n.ignore({"grad_scale"});
         c.require_inputs(1, 2);
         return results{c.to().node("Sigmoid", c.name(), {c.in(0)}, c.in(0).rank)};
       }}},
      {"MakeLoss", {on_make_loss}}, {"Pad", {on_pad}}, {"Pooling", {on_pooling}},
      {"Reshape", {on_reshape}}, {"SliceChannel", {on_slice_channel}},
      {"Softmax", {on_softmax_output}}, {"SoftmaxActivation", {on_softmax_activation}},
      {"SoftmaxOutput", {on_softmax_output}}, {"SwapAxis", {on_swap_axis}},
      {"UpSampling", {on_up_sampling}}, {"_Div", {binary<"Div">}},
      {"_DivScalar", {with_scalar<"Div">}}, {"_Minus", {binary<"Sub">}},
      {"_MinusScalar", {with_scalar<"Sub">}}, {"_Mul", {binary<"Mul">}},
      {"_MulScalar", {with_scalar<"Mul">}}, {"_Plus", {binary<"Add">}},
      {"_PlusScalar", {with_scalar<"Add">}}, {"_copy", {on_unchanged}},
      {"_div_scalar", {with_scalar<"Div">}}, {"_maximum", {binary<"Max">}},
      {"_minimum", {binary<"Min">}}, {"_minus", {binary<"Sub">}},
      {"_minus_scalar", {with_scalar<"Sub">}}, {"_mul", {binary<"Mul">}},
      {"_mul_scalar", {with_scalar<"Mul">}}, {"_plus", {binary<"Add">}},
      {"_plus_scalar", {with_scalar<"Add">}}, {"_rminus_scalar", {with_scalar<"Sub", true>}},
      {"add_n", {on_sum_of_all}}, {"broadcast_add", {binary<"Add">}},
      {"broadcast_div", {binary<"Div">}}, {"broadcast_maximum", {binary<"Max">}},
      {"broadcast_minimum", {binary<"Min">}}, {"broadcast_mul", {binary<"Mul">}},
      {"broadcast_sub", {binary<"Sub">}}, {"clip", {on_clip}},
      {"elemwise_add", {binary<"Add">}}, {"elemwise_div", {binary<"Div">}},
      {"elemwise_mul", {binary<"Mul">}}, {"elemwise_sub", {binary<"Sub">}},
      {"exp", {element_wise<"Exp">}}, {"expand_dims", {on_expand_dims}},
      {"flatten", {on_flatten}}, {"identity", {on_unchanged}}, {"mean", {on_mean}},
      {"pad", {on_pad}}, {"relu", {element_wise<"Relu">}}, {"reshape", {on_reshape}},
      {"sigmoid", {element_wise<"Sigmoid">}}, {"slice_axis", {on_slice_axis}},
      {"softmax", {on_softmax}}, {"split", {on_slice_channel}}, {"sqrt", {element_wise<"Sqrt">}},
      {"tanh", {element_wise<"Tanh">}}, {"transpose", {on_transpose}},
  };
  return all;
}

}  // namespace nvdlac::import::mxnet_format
