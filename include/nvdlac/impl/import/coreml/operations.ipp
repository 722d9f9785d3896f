// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/moving.hpp>
#include <nvdlac/import/coreml/operation.hpp>
#include <nvdlac/import/coreml/operations.hpp>

namespace nvdlac::import::coreml_format::program {

NVDLAC_IMPL sliding_window window_of(const operation& o, const dims& kernel) {
  sliding_window w{.kernel = kernel, .strides = o.pair("strides", 1),
                   .dilations = o.pair("dilations", 1)};
  const auto how = o.string("pad_type", "valid");
  // For each dimension before and behind.
  const auto pads = o.integers("pad").value_or(dims{0, 0, 0, 0});
  w.pads = {0, 0, 0, 0};
  if (how == "custom") {
    if (pads.size() != 4) throw error(text("its pads are ", onnx_format::to_text(pads)));
    w.pads = {pads[0], pads[2], pads[1], pads[3]};
  } else if (how == "same" || how == "same_lower") {
    w.same = true;
    w.odd_before = how == "same_lower";
  } else if (how != "valid") {
    throw error(problem{.reason = "its pad_type is " + how,
                        .remedy = "valid, same, same_lower and custom are supported"});
  }
  return w;
}

NVDLAC_IMPL operand picture(const operation& o) {
  auto x = o.tensor();
  if (x.rank != 4)
    throw error(problem{.reason = text("its input has ", count_of(x.rank, "dimension")),
                        .remedy = "pictures [1, channels, height, width] are supported"});
  return x;
}

NVDLAC_IMPL results on_conv(const operation& o) {
  const auto x = picture(o);
  return {o.to().convolve(o.name(), x, o.tensor("weight"), o.optional("bias"), window_of(o, {}),
                          o.integer("groups", 1))};
}

NVDLAC_IMPL results on_conv_transpose(const operation& o) {
  std::vector<operand> inputs{picture(o), o.tensor("weight")};
  if (const auto bias = o.optional("bias")) inputs.push_back(*bias);
  auto how = window_of(o, {}).attributes();
  const auto groups = o.integer("groups", 1);
  how.push_back({"group", groups});
  if (const auto shape = o.integers("output_shape")) {
    std::erase_if(how, [](const auto& a) { return a.name == "pads" || a.name == "auto_pad"; });
    const auto& of_weights = inputs[1].numbers("weights").shape;
    if (shape->size() != 4 || of_weights.size() != 4 || (*shape)[0] != 1 ||
        (*shape)[1] != of_weights[1] * groups)
      throw error(text("its output_shape ", onnx_format::to_text(*shape),
                       " is not [1, channels of its weights, height, width]"));
    how.push_back({"output_shape", dims(shape->begin() + 2, shape->end())});
  }
  return {o.to().node("ConvTranspose", o.name(), inputs, 4, how)};
}

NVDLAC_IMPL results on_linear(const operation& o) {
  return {o.to().fully_connected(o.name(), o.tensor(), o.tensor("weight"), o.optional("bias"))};
}

NVDLAC_IMPL results on_matmul(const operation& o) {
  const auto side = [&](const char* key, const char* turn) {
    const auto x = o.tensor(key);
    if (!o.flag(turn)) return x;
    if (x.rank < 2) throw error("it transposes what has less than two dimensions");
    auto order = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
    std::swap(order[x.rank - 1], order[x.rank - 2]);
    return o.to().transposed(o.name(key), x, order);
  };
  return {o.to().binary(o.name(), "MatMul", side("x", "transpose_x"), side("y", "transpose_y"))};
}

NVDLAC_IMPL results on_batch_norm(const operation& o) {
  const auto means = o.tensor("mean");
  const auto filled = [&](const char* key, float v) {
    if (const auto given = o.optional(key)) return *given;
    const auto& shape = means.numbers("means").shape;
    return operand::of(array::of_reals(shape, std::vector<float>(means.known->size(), v)));
  };
  return {o.to().batch_norm(o.name(), picture(o), filled("gamma", 1), filled("beta", 0), means,
                            o.tensor("variance"), o.number("epsilon", 1e-5))};
}

NVDLAC_IMPL results on_instance_norm(const operation& o) {
  return {o.to().node("InstanceNormalization", o.name(),
                      {picture(o), o.tensor("gamma"), o.tensor("beta")}, 4,
                      {{"epsilon", o.number("epsilon", 1e-5)}})};
}

NVDLAC_IMPL results on_local_response_norm(const operation& o) {
  return {o.to().node("LRN", o.name(), {picture(o)}, 4,
                      {{"size", o.integer("size", 1)}, {"alpha", o.number("alpha", 1e-4)},
                       {"beta", o.number("beta", 0.75)}, {"bias", o.number("k", 1)}})};
}

NVDLAC_IMPL results mapped(const operation& o, const std::string& type,
                           const std::vector<attribute>& attributes) {
  const auto x = o.tensor();
  return {o.to().node(type, o.name(), {x}, x.rank, attributes)};
}

NVDLAC_IMPL operand with_epsilon(const operation& o, double otherwise) {
  const auto epsilon = o.number("epsilon", otherwise);
  if (epsilon < 1e-30F) return o.tensor();
  return o.to().binary(o.name("epsilon"), "Add", o.tensor(), o.to().number(epsilon));
}

NVDLAC_IMPL results on_log(const operation& o) {
  const auto x = with_epsilon(o, 1e-45);
  return {o.to().node("Log", o.name(), {x}, x.rank)};
}

NVDLAC_IMPL results on_inverse(const operation& o) {
  const auto x = with_epsilon(o, 1e-4);
  return {o.to().node("Reciprocal", o.name(), {x}, x.rank)};
}

NVDLAC_IMPL results on_rsqrt(const operation& o) {
  const auto x = with_epsilon(o, 1e-12);
  const auto root = o.to().node("Sqrt", o.name("root"), {x}, x.rank);
  return {o.to().node("Reciprocal", o.name(), {root}, x.rank)};
}

NVDLAC_IMPL results on_square(const operation& o) {
  return {o.to().binary(o.name(), "Mul", o.tensor(), o.tensor())};
}

NVDLAC_IMPL results on_relu6(const operation& o) {
  return {o.to().clipped(o.name(), o.tensor(), 0, 6)};
}

NVDLAC_IMPL results on_clip(const operation& o) {
  return {o.to().clipped(o.name(), o.tensor(), o.number("alpha", 0), o.number("beta", 1))};
}

NVDLAC_IMPL results on_leaky_relu(const operation& o) {
  return mapped(o, "LeakyRelu", {{"alpha", o.number("alpha", 0.01)}});
}

NVDLAC_IMPL results on_thresholded_relu(const operation& o) {
  return mapped(o, "ThresholdedRelu", {{"alpha", o.number("alpha", 1)}});
}

NVDLAC_IMPL results on_elu(const operation& o) {
  return mapped(o, "Elu", {{"alpha", o.number("alpha", 1)}});
}

NVDLAC_IMPL results on_prelu(const operation& o) {
  return {o.to().prelu(o.name(), o.tensor(), o.tensor("alpha"))};
}

NVDLAC_IMPL results on_sigmoid_hard(const operation& o) {
  return mapped(o, "HardSigmoid", {{"alpha", o.number("alpha", 0.2)},
                                   {"beta", o.number("beta", 0.5)}});
}

NVDLAC_IMPL results on_linear_activation(const operation& o) {
  const auto product = o.to().binary(o.name("scale"), "Mul", o.tensor(),
                                     o.to().number(o.number("alpha", 1)));
  return {o.to().binary(o.name(), "Add", product, o.to().number(o.number("beta", 0)))};
}

NVDLAC_IMPL results gated(const operation& o, const operand& inner) {
  const auto gate = o.to().node("Sigmoid", o.name("gate"), {inner}, inner.rank);
  return {o.to().binary(o.name(), "Mul", o.tensor(), gate)};
}

NVDLAC_IMPL results on_gelu(const operation& o) {
  const auto mode = o.string("mode", "EXACT");
  if (mode == "SIGMOID_APPROXIMATION")
    return gated(o, o.to().binary(o.name("scale"), "Mul", o.tensor(), o.to().number(1.702F)));
  if (mode != "EXACT" && mode != "TANH_APPROXIMATION") throw error("its mode is " + mode);
  return mapped(o, "Gelu", {{"approximate", std::string(mode == "EXACT" ? "none" : "tanh")}});
}

NVDLAC_IMPL results on_softmax(const operation& o) {
  return mapped(o, "Softmax", {{"axis", o.axis("axis", -1, o.tensor().rank)}});
}

NVDLAC_IMPL results on_cast(const operation& o) {
  const auto type = o.string("dtype", "");
  if (type != "fp16" && type != "fp32")
    throw error(problem{.reason = "it casts to " + type, .remedy = "fp16 and fp32 are supported"});
  return {o.tensor()};
}

NVDLAC_IMPL results on_reshape(const operation& o) {
  return {o.to().reshaped(o.name(), o.tensor(), o.integers("shape").value_or(dims{}))};
}

NVDLAC_IMPL results on_transpose(const operation& o) {
  const auto x = o.tensor();
  auto order = o.integers("perm").value_or(dims{});
  for (auto& a : order) a = onnx_format::checked_axis(a, x.rank);
  return {o.to().transposed(o.name(), x, order)};
}

NVDLAC_IMPL results on_expand_dims(const operation& o) {
  const auto x = o.tensor();
  const auto axes = o.integers("axes").value_or(dims{});
  return {o.to().node("Unsqueeze", o.name(), {x, o.to().integers(axes)}, x.rank + axes.size())};
}

NVDLAC_IMPL results on_squeeze(const operation& o) {
  const auto axes = o.integers("axes");
  if (!axes) throw error("its axes are missing");
  return {o.to().squeezed(o.name(), o.tensor(), *axes)};
}

NVDLAC_IMPL results on_concat(const operation& o) {
  if (o.flag("interleave")) throw error("it interleaves, which is not supported");
  const auto all = o.tensors("values");
  if (all.empty()) throw error("it has no inputs");
  return {o.to().node("Concat", o.name(), all, all[0].rank,
                      {{"axis", o.axis("axis", 0, all[0].rank)}})};
}

NVDLAC_IMPL results on_split(const operation& o) {
  const auto x = o.tensor();
  std::vector<operand> inputs{x};
  const auto n = o.integer("num_splits", static_cast<std::int64_t>(o.outputs()));
  const auto sizes = o.integers("split_sizes");
  if (sizes) inputs.push_back(o.to().integers(*sizes));
  if (!std::cmp_equal(n, o.outputs()) || (sizes && sizes->size() != o.outputs()))
    throw error(text("it has ", count_of(o.outputs(), "output")));
  return o.to().several("Split", o.name(), inputs, std::vector(o.outputs(), x.rank),
                        {{"axis", o.axis("axis", 0, x.rank)}});
}

NVDLAC_IMPL results on_slice_by_index(const operation& o) {
  return {sliced(o.to(), o.name(), o.tensor(),
                 {o.integers("begin").value_or(dims{}), o.integers("end").value_or(dims{}),
                  o.integers("stride").value_or(dims{}), o.flags("begin_mask"),
                  o.flags("end_mask"), o.flags("squeeze_mask")})};
}

NVDLAC_IMPL results on_pad(const operation& o) {
  const auto x = o.tensor();
  const auto given = o.integers("pad").value_or(dims{});
  if (given.size() % 2 != 0 || given.size() > 2 * x.rank)
    throw error(text("its pads are ", onnx_format::to_text(given)));
  dims pads(2 * x.rank, 0);
  const auto first = x.rank - given.size() / 2;
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    pads[first + i] = given[2 * i];
    pads[x.rank + first + i] = given[2 * i + 1];
  }
  const auto mode = o.string("mode", "constant");
  const auto value = o.number("constant_val", 0);
  std::vector<operand> inputs{x, o.to().integers(pads)};
  if (mode == "constant") inputs.push_back(o.to().number(value));
  else if (mode != "reflect" && mode != "replicate") throw error("its mode is " + mode);
  return {o.to().node("Pad", o.name(), inputs, x.rank,
                      {{"mode", mode == "replicate" ? std::string("edge") : mode}})};
}

NVDLAC_IMPL results on_upsample_nearest(const operation& o) {
  return {o.to().repeated(o.name(), picture(o), o.number("scale_factor_height", 1),
                          o.number("scale_factor_width", 1))};
}

NVDLAC_IMPL results on_upsample_bilinear(const operation& o) {
  const auto factors = array::of_reals(
      {4}, {1, 1, o.number("scale_factor_height", 1), o.number("scale_factor_width", 1)});
  const bool corners = o.flag("align_corners", true);
  const bool halves = o.flag("half_pixel_centers", !corners);
  if (corners == halves)
    throw error("its align_corners and half_pixel_centers are not supported together");
  return {o.to().resized(o.name(), picture(o), operand::of(factors), o.to().left_out(), "linear",
                         corners ? "align_corners" : "half_pixel")};
}

NVDLAC_IMPL results on_pixel_shuffle(const operation& o) {
  return mapped(o, "DepthToSpace", {{"blocksize", o.integer("upscale_factor", 0)},
                                    {"mode", std::string("CRD")}});
}

NVDLAC_IMPL results on_space_to_depth(const operation& o) {
  return mapped(o, "SpaceToDepth", {{"blocksize", o.integer("block_size", 0)}});
}

NVDLAC_IMPL const std::map<std::string_view, operation_entry>& operations() {
  static const std::map<std::string_view, operation_entry> all = {
      {"abs", {function<"Abs">}}, {"add", {binary<"Add">}}, {"avg_pool", {pool<"AveragePool">}},
      {"batch_norm", {on_batch_norm}}, {"cast", {on_cast}}, {"ceil", {function<"Ceil">}},
      {"clip", {on_clip}}, {"concat", {on_concat}}, {"conv", {on_conv}},
      {"conv_transpose", {on_conv_transpose}}, {"cos", {function<"Cos">}},
      {"depth_to_space", {on_depth_to_space}}, {"elu", {on_elu}}, {"erf", {function<"Erf">}},
      {"exp", {function<"Exp">}}, {"expand_dims", {on_expand_dims}},
      {"floor", {function<"Floor">}}, {"gelu", {on_gelu}}, {"identity", {on_unchanged}},
      {"instance_norm", {on_instance_norm}}, {"inverse", {on_inverse}},
      {"leaky_relu", {on_leaky_relu}}, {"linear", {on_linear}},
      {"linear_activation", {on_linear_activation}},
      {"local_response_norm", {on_local_response_norm}}, {"log", {on_log}},
      {"matmul", {on_matmul}}, {"max_pool", {pool<"MaxPool">}}, {"maximum", {binary<"Max">}},
      {"minimum", {binary<"Min">}}, {"mul", {binary<"Mul">}}, {"pad", {on_pad}},
      {"pixel_shuffle", {on_pixel_shuffle}}, {"pow", {binary<"Pow">}}, {"prelu", {on_prelu}},
      {"real_div", {binary<"Div">}}, {"reduce_l1_norm", {reduce<"ReduceL1">}},
      {"reduce_l2_norm", {reduce<"ReduceL2">}}, {"reduce_max", {reduce<"ReduceMax">}},
      {"reduce_mean", {reduce<"ReduceMean">}}, {"reduce_min", {reduce<"ReduceMin">}},
      {"reduce_sum", {reduce<"ReduceSum">}}, {"reduce_sum_square", {reduce<"ReduceSumSquare">}},
      {"relu", {function<"Relu">}}, {"relu6", {on_relu6}}, {"reshape", {on_reshape}},
      {"round", {function<"Round">}}, {"rsqrt", {on_rsqrt}}, {"sigmoid", {function<"Sigmoid">}},
      {"sigmoid_hard", {on_sigmoid_hard}}, {"sign", {function<"Sign">}}, {"silu", {on_silu}},
      {"sin", {function<"Sin">}}, {"slice_by_index", {on_slice_by_index}},
      {"softmax", {on_softmax}}, {"softplus", {function<"Softplus">}},
      {"softsign", {function<"Softsign">}}, {"space_to_depth", {on_space_to_depth}},
      {"split", {on_split}}, {"sqrt", {function<"Sqrt">}}, {"square", {on_square}},
      {"squeeze", {on_squeeze}}, {"sub", {binary<"Sub">}}, {"tanh", {function<"Tanh">}},
      {"thresholded_relu", {on_thresholded_relu}}, {"transpose", {on_transpose}},
      {"upsample_bilinear", {on_upsample_bilinear}},
      {"upsample_nearest_neighbor", {on_upsample_nearest}},
  };
  return all;
}

}  // namespace nvdlac::import::coreml_format::program
