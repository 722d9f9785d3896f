// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/layers.hpp>
#include <nvdlac/import/coreml/moving.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL results on_crop(const conversion& c) {
  if (c.inputs() == 2)
    throw error(problem{.reason = "it crops to the size of a second input",
                        .remedy = "amounts to crop are supported"});
  if (!c.p.values<std::int64_t>("offset").empty())
    throw error("it has an offset, which only a crop to the size of a second input has");
  const auto b = borders_in(c.p, "cropAmounts");
  const auto& x = c.one();
  const auto height = c.channels_of(x) + 1;
  const auto end = [](std::int64_t border) { return border == 0 ? whole : -border; };
  return {c.to().node("Slice", c.name(),
                      {x, c.to().integers({b[0], b[1]}), c.to().integers({end(b[2]), end(b[3])}),
                       c.to().integers({height, height + 1}), c.to().integers({1, 1})},
                      x.rank)};
}

NVDLAC_IMPL results padded(const conversion& c, const dims& pads, const std::string& mode,
                           float value) {
  std::vector<operand> inputs{c.one(), c.to().integers(pads)};
  if (mode == "constant") inputs.push_back(c.to().number(value));
  return {c.to().node("Pad", c.name(), inputs, c.one().rank, {{"mode", mode}})};
}

NVDLAC_IMPL results on_padding(const conversion& c) {
  const auto& x = c.one();
  const auto height = static_cast<std::size_t>(c.channels_of(x) + 1);
  const auto b = borders_in(c.p, "paddingAmounts");
  dims pads(2 * x.rank, 0);
  pads[height] = b[0];
  pads[height + 1] = b[1];
  pads[x.rank + height] = b[2];
  pads[x.rank + height + 1] = b[3];
  if (c.p.has("reflection")) return padded(c, pads, "reflect", 0);
  if (c.p.has("replication")) return padded(c, pads, "edge", 0);
  return padded(c, pads, "constant", c.p.child("constant").number("value"));
}

NVDLAC_IMPL results on_constant_pad(const conversion& c) {
  const auto& x = c.one();
  if (c.inputs() != 1 || c.p.flag("padToGivenOutputSizeMode", false))
    throw error("padding to a size is not supported");
  auto given = c.p.values<std::int64_t>("padAmounts");
  if (c.sequence && given.size() == 2 * x.rank + 2 && given[0] == 0 && given[1] == 0)
    given.erase(given.begin(), given.begin() + 2);
  if (given.size() > 2 * x.rank || given.size() % 2 != 0)
    throw error(text("its padAmounts are ", onnx_format::to_text(given)));
  dims pads(2 * x.rank, 0);
  const auto first = x.rank - given.size() / 2;
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    pads[first + i] = given[2 * i];
    pads[x.rank + first + i] = given[2 * i + 1];
  }
  return padded(c, pads, "constant", c.p.number("value"));
}

NVDLAC_IMPL results on_upsample(const conversion& c) {
  const auto& x = c.picture();
  std::vector<float> factors = c.p.values<float>("fractionalScalingFactor");
  if (factors.empty())
    for (const auto f : c.pair("scalingFactor", 1)) factors.push_back(static_cast<float>(f));
  if (factors.size() != 2) throw error(text("it has ", factors.size(), " factors"));
  const auto mode = c.p.integer("mode"), places = c.p.integer("linearUpsampleMode");
  if (mode == 0) return {c.to().repeated(c.name(), x, factors[0], factors[1])};
  if (mode != 1 || places < 0 || places > 2)
    throw error(text("its mode is number ", mode, ", ", places));
  static constexpr const char* names[] = {"asymmetric", "align_corners", "half_pixel"};
  return {c.to().resized(c.name(), x,
                         operand::of(array::of_reals({4}, {1, 1, factors[0], factors[1]})),
                         c.to().left_out(), "linear", names[places])};
}

NVDLAC_IMPL results on_resize_bilinear(const conversion& c) {
  const auto& x = c.picture();
  const auto size = c.pair("targetSize", 1);
  const auto places = c.p.child("mode").integer("samplingMethod");
  if (places < 0 || places > 2 || (places == 1 && (size[0] == 1 || size[1] == 1)))
    throw error(problem{.reason = text("its sampling method ", places, " is not supported"),
                        .remedy = "those that align ends, and that of upsample, are"});
  const auto shape = c.to().node("Shape", c.name("shape"), {x}, 1);
  const auto first = c.to().sliced(c.name("channels"), shape, 0, 0, 2);
  const auto sizes = c.to().node("Concat", c.name("sizes"), {first, c.to().integers(size)}, 1,
                                 {{"axis", std::int64_t{0}}});
  return {c.to().resized(c.name(), x, c.to().left_out(), sizes, "linear",
                         places == 2 ? "asymmetric" : "align_corners")};
}

NVDLAC_IMPL results on_load_constant(const conversion& c) {
  c.require_inputs(0, 0);
  auto shape = c.p.values<std::int64_t>("shape");
  if (shape.size() != 3) throw error(text("its shape is ", onnx_format::to_text(shape)));
  auto a = c.weights.read(c.p.child("data"), shape, "data");
  a.shape.insert(a.shape.begin(), 1);
  return {operand::of(std::move(a))};
}

NVDLAC_IMPL results on_load_constant_nd(const conversion& c) {
  c.require_inputs(0, 0);
  return {c.tensor("data", c.p.values<std::int64_t>("shape"))};
}

NVDLAC_IMPL operand channels_last(const conversion& c, const operand& x) {
  return c.to().transposed(c.name("channels_last"), x, {0, 2, 3, 1});
}

NVDLAC_IMPL results on_flatten(const conversion& c) {
  const auto& x = c.picture();
  const auto mode = c.p.integer("mode");
  if (mode != 0 && mode != 1) throw error(text("its mode is number ", mode));
  return {c.to().reshaped(c.name(), mode == 1 ? channels_last(c, x) : x, {0, -1, 1, 1})};
}

NVDLAC_IMPL results on_reshape(const conversion& c) {
  const auto& x = c.picture();
  auto shape = c.p.values<std::int64_t>("targetShape");
  const auto mode = c.p.integer("mode");
  if (shape.size() == 4 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() != 3 || (mode != 0 && mode != 1))
    throw error(text("its targetShape ", onnx_format::to_text(shape), " in mode ", mode,
                     " is not supported"));
  if (mode == 0) return {c.to().reshaped(c.name(), x, {0, shape[0], shape[1], shape[2]})};
  const auto y = c.to().reshaped(c.name("last"), channels_last(c, x),
                                 {0, shape[1], shape[2], shape[0]});
  return {c.to().transposed(c.name(), y, {0, 3, 1, 2})};
}

NVDLAC_IMPL results on_permute(const conversion& c) {
  const auto& x = c.picture();
  const auto order = c.p.values<std::int64_t>("axes");
  if (order.empty()) return {x};
  if (order.size() != 4 || order[0] != 0)
    throw error(text("it permutes ", onnx_format::to_text(order), ", sequences included"));
  return {c.to().transposed(c.name(), x, order)};
}

NVDLAC_IMPL results on_transpose(const conversion& c) {
  const auto& x = c.one();
  auto order = c.p.values<std::int64_t>("axes");
  if (c.sequence && order.size() == x.rank + 1 && order[0] == 0) order.erase(order.begin());
  for (auto& a : order) a = c.axis(a);
  return {c.to().transposed(c.name(), x, order)};
}

NVDLAC_IMPL results joined(const conversion& c, std::int64_t axis) {
  return {c.to().node("Concat", c.name(), c.all(), c.in(0).rank, {{"axis", axis}})};
}

NVDLAC_IMPL results on_concat(const conversion& c) {
  if (c.p.flag("sequenceConcat", false)) throw error("it joins sequences, which is not supported");
  return joined(c, c.channels_of(c.in(0)));
}

NVDLAC_IMPL results parts(const conversion& c, std::int64_t axis, std::int64_t n,
                          const dims& lengths) {
  const auto outputs = c.outputs();
  if (lengths.empty() ? !std::cmp_equal(outputs, n) : lengths.size() != outputs)
    throw error(text("it has ", count_of(outputs, "output"), " for ",
                     lengths.empty() ? n : std::ssize(lengths),
                     " parts"));
  std::vector<operand> inputs{c.one()};
  if (!lengths.empty()) inputs.push_back(c.to().integers(lengths));
  return c.to().several("Split", c.name(), inputs, std::vector(outputs, c.one().rank),
                        {{"axis", axis}});
}

NVDLAC_IMPL results on_split(const conversion& c) {
  return parts(c, c.channels_of(c.one()), c.p.integer("nOutputs"), {});
}

NVDLAC_IMPL results on_split_nd(const conversion& c) {
  return parts(c, c.axis(c.p.integer("axis")), c.p.integer("numSplits"),
               c.p.values<std::int64_t>("splitSizes"));
}

NVDLAC_IMPL results on_slice(const conversion& c) {
  const auto& x = c.one();
  const auto axis = c.p.integer("axis"), end = c.p.integer("endIndex"),
             stride = c.p.integer("stride");
  if (axis < 0 || axis > 2 || stride < 1)
    throw error(text("its axis ", axis, " with stride ", stride, " is not supported"));
  return {c.to().sliced(c.name(), x, c.channels_of(x) + axis, c.p.integer("startIndex"),
                        end == 0 ? whole : end, stride)};
}

NVDLAC_IMPL operand sliced(translation::layer_writer& to, const std::string& name, const operand& x,
                           slices s) {
  const auto n = s.begins.size();
  if (s.strides.empty()) s.strides.assign(n, 1);
  if (n != x.rank || s.ends.size() != n || s.strides.size() != n)
    throw error(text("it slices ", count_of(n, "dimension"), " of ", x.rank));
  const auto is = [](const std::vector<bool>& mask, std::size_t i) {
    return i < mask.size() && mask[i];
  };
  dims axes, squeezed;
  for (std::size_t i = 0; i < n; ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
    if (s.strides[i] < 1) throw error(text("its stride is ", s.strides[i]));
    if (is(s.begin_masks, i)) s.begins[i] = 0;
    if (is(s.end_masks, i)) s.ends[i] = whole;
    if (!is(s.squeezes, i)) continue;
    squeezed.push_back(axes.back());
    s.ends[i] = s.begins[i] == -1 || s.begins[i] == whole ? whole : s.begins[i] + 1;
  }
  const auto y = to.node("Slice", squeezed.empty() ? name : name + "/slice",
                         {x, to.integers(s.begins), to.integers(s.ends), to.integers(axes),
                          to.integers(s.strides)},
                         x.rank);
  return squeezed.empty() ? y : to.squeezed(name, y, squeezed);
}

NVDLAC_IMPL results on_slice_static(const conversion& c) {
  if (c.sequence) throw error("it slices sequences, which is not supported");
  return {sliced(c.to(), c.name(), c.one(),
                 {c.p.values<std::int64_t>("beginIds"), c.p.values<std::int64_t>("endIds"),
                  c.p.values<std::int64_t>("strides"), c.p.values<bool>("beginMasks"),
                  c.p.values<bool>("endMasks"), c.p.values<bool>("squeezeMasks")})};
}

NVDLAC_IMPL results on_squeeze(const conversion& c) {
  const auto& x = c.one();
  if (c.p.flag("squeezeAll", false))
    throw error(problem{.reason = "it squeezes all dimensions of one",
                        .remedy = "name its axes"});
  return {c.to().squeezed(c.name(), x, c.axes("axes"))};
}

NVDLAC_IMPL results on_expand_dims(const conversion& c) {
  const auto& x = c.one();
  auto axes = c.p.values<std::int64_t>("axes");
  const auto rank = x.rank + axes.size();
  for (auto& a : axes) a = c.axis(a, rank);
  return {c.to().node("Unsqueeze", c.name(), {x, c.to().integers(axes)}, rank)};
}

NVDLAC_IMPL results on_flatten_to_2d(const conversion& c) {
  return {c.to().node("Flatten", c.name(), {c.one()}, 2, {{"axis", c.axis(c.p.integer("axis"))}})};
}

NVDLAC_IMPL results on_reshape_static(const conversion& c) {
  const auto shape = c.p.values<std::int64_t>("targetShape");
  if (shape.empty() || std::ranges::find(shape, 0) != shape.end())
    throw error(text("its targetShape is ", onnx_format::to_text(shape)));
  return {c.to().reshaped(c.name(), c.one(), shape)};
}

NVDLAC_IMPL results on_rank_preserving_reshape(const conversion& c) {
  auto shape = c.p.values<std::int64_t>("targetShape");
  if (c.sequence && shape.size() == c.one().rank + 1 && (shape[0] == 1 || shape[0] == 0))
    shape.erase(shape.begin());
  if (shape.size() != c.one().rank)
    throw error(text("its targetShape is ", onnx_format::to_text(shape)));
  return {c.to().reshaped(c.name(), c.one(), shape)};
}

NVDLAC_IMPL const std::map<std::string_view, layer_entry>& layers() {
  static const std::map<std::string_view, layer_entry> all = {
      {"activation", {on_activation}}, {"add", {with_constant<"Add">}},
      {"addBroadcastable", {elements<"Add">}}, {"average", {on_average}},
      {"batchedMatmul", {on_batched_matmul}}, {"batchnorm", {on_batchnorm}}, {"bias", {on_bias}},
      {"ceil", {function<"Ceil">}}, {"clampedReLU", {on_clamped_relu}}, {"clip", {on_clip}},
      {"concat", {on_concat}}, {"concatND", {on_concat_nd}}, {"constantPad", {on_constant_pad}},
      {"convolution", {on_convolution}}, {"copy", {on_copy}}, {"cos", {function<"Cos">}},
      {"crop", {on_crop}}, {"divideBroadcastable", {elements<"Div">}}, {"erf", {function<"Erf">}},
      {"expandDims", {on_expand_dims}}, {"flatten", {on_flatten}},
      {"flattenTo2D", {on_flatten_to_2d, ranks::exact}}, {"floor", {function<"Floor">}},
      {"gelu", {on_gelu}}, {"innerProduct", {on_inner_product}},
      {"loadConstant", {on_load_constant}},
      {"loadConstantND", {on_load_constant_nd, ranks::exact}}, {"lrn", {on_lrn}},
      {"max", {elements<"Max">}}, {"maxBroadcastable", {elements<"Max">}},
      {"min", {elements<"Min">}}, {"minBroadcastable", {elements<"Min">}},
      {"multiply", {with_constant<"Mul">}}, {"multiplyBroadcastable", {elements<"Mul">}},
      {"padding", {on_padding}}, {"permute", {on_permute}}, {"pooling", {on_pooling}},
      {"powBroadcastable", {elements<"Pow">}},
      {"rankPreservingReshape", {on_rank_preserving_reshape}}, {"reduce", {on_reduce}},
      {"reduceL1", {reduce_nd<"ReduceL1">}}, {"reduceL2", {reduce_nd<"ReduceL2">}},
      {"reduceLogSum", {reduce_nd<"ReduceLogSum">}},
      {"reduceLogSumExp", {reduce_nd<"ReduceLogSumExp">}},
      {"reduceMax", {reduce_nd<"ReduceMax">}}, {"reduceMean", {reduce_nd<"ReduceMean">}},
      {"reduceMin", {reduce_nd<"ReduceMin">}}, {"reduceProd", {reduce_nd<"ReduceProd">}},
      {"reduceSum", {reduce_nd<"ReduceSum">}},
      {"reduceSumSquare", {reduce_nd<"ReduceSumSquare">}},
      {"reorganizeData", {on_reorganize_data}}, {"reshape", {on_reshape}},
      {"reshapeStatic", {on_reshape_static, ranks::exact}},
      {"resizeBilinear", {on_resize_bilinear}}, {"round", {function<"Round">}},
      {"scale", {on_scale}}, {"sign", {function<"Sign">}}, {"sin", {function<"Sin">}},
      {"slice", {on_slice}}, {"sliceStatic", {on_slice_static}}, {"softmax", {on_softmax}},
      {"softmaxND", {on_softmax_nd}}, {"split", {on_split}}, {"splitND", {on_split_nd}},
      {"squeeze", {on_squeeze}}, {"subtractBroadcastable", {elements<"Sub">}},
      {"tan", {function<"Tan">}}, {"tanh", {function<"Tanh">}},
      {"transpose", {on_transpose}}, {"unary", {on_unary}}, {"upsample", {on_upsample}},
  };
  return all;
}

}  // namespace nvdlac::import::coreml_format
