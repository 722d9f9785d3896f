// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/import/caffe2/arguments.hpp>
#include <nvdlac/import/caffe2/net.hpp>
#include <nvdlac/import/caffe2/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

namespace caffe2_format {

NVDLAC_IMPL conversion::conversion(const translation::file_layer& of, const arguments& given,
                                   translation::channels_first_translator& all)
    : a(given), layer_(of), all_(all) {
  if (const auto order = a.string("order", "NCHW"); order != "NCHW")
    throw error(problem{.reason = "its order is " + order,
                        .remedy = "export the network with channels first (NCHW)"});
}

NVDLAC_IMPL const operand& conversion::in(std::size_t i) const {
  if (i >= inputs()) throw error(text("its input ", i, " is missing"));
  return all_.at(layer_.inputs[i]);
}

NVDLAC_IMPL const operand& conversion::only() const {
  require_inputs(1, 1);
  return in(0);
}

NVDLAC_IMPL std::optional<operand> conversion::bias() const {
  require_inputs(2, 3);
  if (a.flag("no_bias") && inputs() == 3) throw error("it has a bias, and its no_bias is set");
  return optional(2);
}

NVDLAC_IMPL std::vector<operand> conversion::all() const {
  require_inputs(1, 1024);
  std::vector<operand> found;
  for (std::size_t i = 0; i < inputs(); ++i) found.push_back(in(i));
  return found;
}

NVDLAC_IMPL void require_picture(const operand& x) {
  if (x.rank != 4)
    throw error(problem{.reason = text("its input has ", count_of(x.rank, "dimension")),
                        .remedy = "pictures [1, channels, height, width] are supported"});
}

NVDLAC_IMPL sliding_window window_of(const conversion& c) {
  require_picture(c.in(0));
  sliding_window w{.kernel = c.a.pair("kernel", 1), .strides = c.a.pair("stride", 1),
                   .dilations = c.a.pair("dilation", 1)};
  const auto all = c.a.integer("pad", 0);
  const dims sides{c.a.integer("pad_t", all), c.a.integer("pad_l", all), c.a.integer("pad_b", all),
                   c.a.integer("pad_r", all)};
  w.pads = c.a.integers("pads").value_or(sides);
  if (sides != dims(4, 0) && sides != w.pads)
    throw error(text("its pad is ", onnx_format::to_text(sides), " and ",
                     onnx_format::to_text(w.pads)));
  // 3 is Caffe's rounding of poolings.
  const auto legacy = c.a.integer("legacy_pad", 0);
  if (legacy != 0 && legacy != 3) throw error(text("its legacy_pad is ", legacy));
  w.ceil = legacy == 3;
  return w;
}

NVDLAC_IMPL sliding_window window_of_convolution(const conversion& c) {
  const auto w = window_of(c);
  if (w.ceil) throw error("its legacy_pad is that of poolings");
  return w;
}

NVDLAC_IMPL results on_conv(const conversion& c) {
  const auto bias = c.bias();
  return {c.to().convolve(c.name(), c.in(0), c.in(1), bias, window_of_convolution(c),
                          c.a.integer("group", 1))};
}

NVDLAC_IMPL results on_conv_transpose(const conversion& c) {
  const auto bias = c.bias();
  return {c.to().convolve_transposed(c.name(), c.in(0), c.in(1), bias, window_of_convolution(c),
                                     c.a.integer("group", 1), c.a.pair("adj", 0))};
}

NVDLAC_IMPL results on_fully_connected(const conversion& c) {
  c.require_inputs(2, 3);
  if (c.a.integer("axis", 1) != 1 || c.a.integer("axis_w", 1) != 1)
    throw error("its axis is not 1, which is not supported");
  auto x = c.in(0);
  if (x.rank != 2) x = c.to().node("Flatten", c.name() + "/flat", {x}, 2);
  return {c.to().fully_connected(c.name(), x, c.in(1), c.optional(2))};
}

NVDLAC_IMPL results on_batch_norm(const conversion& c) {
  c.require_inputs(5, 5);
  if (!c.a.flag("is_test"))
    throw error(problem{.reason = "it is in training (is_test is not 1)",
                        .remedy = "export the network for inference"});
  if (!c.a.flag("spatial", true)) throw error("it normalises each place (spatial is 0)");
  c.a.ignore({"momentum", "consumed_inputs"});
  return {c.to().batch_norm(c.name(), c.in(0), c.in(1), c.in(2), c.in(3), c.in(4),
                            c.a.number("epsilon", 1e-5F))};
}

NVDLAC_IMPL results mapped(const conversion& c, const std::string& type,
                           const std::vector<translation::attribute>& attributes) {
  c.require_inputs(1, 1);
  return {c.to().node(type, c.name(), {c.in(0)}, c.in(0).rank, attributes)};
}

NVDLAC_IMPL results on_leaky_relu(const conversion& c) {
  return mapped(c, "LeakyRelu", {{"alpha", c.a.number("alpha", 0.01F)}});
}

NVDLAC_IMPL results on_elu(const conversion& c) {
  return mapped(c, "Elu", {{"alpha", c.a.number("alpha", 1)}});
}

NVDLAC_IMPL results on_clip(const conversion& c) {
  using limits = std::numeric_limits<float>;
  c.require_inputs(1, 1);
  return {c.to().clipped(c.name(), c.in(0), c.a.number("min", limits::lowest()),
                         c.a.number("max", limits::max()))};
}

NVDLAC_IMPL results on_prelu(const conversion& c) {
  c.require_inputs(2, 2);
  return {c.to().prelu(c.name(), c.in(0), c.in(1))};
}

NVDLAC_IMPL results on_lrn(const conversion& c) {
  return mapped(c, "LRN",
                {{"size", c.a.integer("size", 0)}, {"alpha", c.a.number("alpha", 0)},
                 {"beta", c.a.number("beta", 0)}, {"bias", c.a.number("bias", 1)}});
}

NVDLAC_IMPL results on_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  const auto& x = c.in(0);
  const auto axis = c.axis(1);
  if (static_cast<std::size_t>(axis) + 1 == x.rank)
    return mapped(c, "Softmax", {{"axis", axis}});
  const auto list = c.to().node("Flatten", c.name() + "/list", {x}, 2, {{"axis", axis}});
  const auto result = c.to().node("Softmax", c.name() + "/softmax", {list}, 2,
                                  {{"axis", std::int64_t{1}}});
  const auto shape = c.to().node("Shape", c.name() + "/shape", {x}, 1);
  return {c.to().node("Reshape", c.name(), {result, shape}, x.rank)};
}

NVDLAC_IMPL results on_sum(const conversion& c) {
  return {c.to().node("Sum", c.name(), c.all(), c.in(0).rank)};
}

NVDLAC_IMPL results on_concat(const conversion& c) {
  if (c.a.flag("add_axis")) throw error("its add_axis is not supported");
  return {c.to().node("Concat", c.name(), c.all(), c.in(0).rank, {{"axis", c.axis(1)}})};
}

NVDLAC_IMPL results on_reshape(const conversion& c) {
  c.require_inputs(1, 1);
  const auto shape = c.a.integers("shape").value_or(dims{});
  if (shape.empty()) throw error("its shape is missing");
  return {c.to().reshaped(c.name(), c.in(0), shape)};
}

NVDLAC_IMPL results on_flatten(const conversion& c) {
  c.require_inputs(1, 1);
  return {c.to().node("Flatten", c.name(), {c.in(0)}, 2, {{"axis", c.axis(1)}})};
}

NVDLAC_IMPL results on_transpose(const conversion& c) {
  c.require_inputs(1, 1);
  const auto& x = c.in(0);
  auto order = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
  std::ranges::reverse(order);
  return {c.to().transposed(c.name(), x, c.a.integers("axes").value_or(order))};
}

NVDLAC_IMPL results on_squeeze(const conversion& c) {
  return {c.to().squeezed(c.name(), c.only(), c.a.integers("dims").value_or(dims{}))};
}

NVDLAC_IMPL results on_expand_dims(const conversion& c) {
  c.require_inputs(1, 1);
  const auto axes = c.a.integers("dims").value_or(dims{});
  return {c.to().node("Unsqueeze", c.name(), {c.in(0), c.to().integers(axes)},
                      c.in(0).rank + axes.size())};
}

NVDLAC_IMPL results on_dropout(const conversion& c) {
  if (!c.a.flag("is_test"))
    throw error(problem{.reason = "it is in training (is_test is not 1)",
                        .remedy = "export the network for inference"});
  c.a.ignore({"ratio"});
  return {c.only()};
}

NVDLAC_IMPL results on_resize_nearest(const conversion& c) {
  c.require_inputs(1, 1);
  require_picture(c.in(0));
  return {c.to().repeated(c.name(), c.in(0), c.a.number("height_scale", 1),
                          c.a.number("width_scale", 1))};
}

NVDLAC_IMPL const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = {
      {"Add", {binary<"Add">}}, {"AveragePool", {pool<false>}}, {"Clip", {on_clip}},
      {"Concat", {on_concat}}, {"Conv", {on_conv}}, {"ConvTranspose", {on_conv_transpose}},
      {"Copy", {on_unchanged}}, {"Div", {binary<"Div">}}, {"Dropout", {on_dropout}},
      {"Elu", {on_elu}}, {"ExpandDims", {on_expand_dims}}, {"FC", {on_fully_connected}},
      {"Flatten", {on_flatten}}, {"LRN", {on_lrn}}, {"LeakyRelu", {on_leaky_relu}},
      {"MaxPool", {pool<true>}}, {"Mul", {binary<"Mul">}}, {"PRelu", {on_prelu}},
      {"Relu", {function<"Relu">}}, {"Reshape", {on_reshape}},
      {"ResizeNearest", {on_resize_nearest}}, {"Sigmoid", {function<"Sigmoid">}},
      {"Softmax", {on_softmax}}, {"SpatialBN", {on_batch_norm}}, {"Squeeze", {on_squeeze}},
      {"StopGradient", {on_unchanged}}, {"Sub", {binary<"Sub">}}, {"Sum", {on_sum}},
      {"Tanh", {function<"Tanh">}}, {"Transpose", {on_transpose}},
  };
  return all;
}

NVDLAC_IMPL network translated(const named_content& predict, const named_content& init,
                               const part& wanted) {
  const auto net = parsed(predict, wanted.limits.fields),
             weights = parsed(init, wanted.limits.fields);
  const auto ops = net.root().children("op");
  if (std::ranges::all_of(ops, [](const auto& op) { return op.string("type").ends_with("Fill"); }))
    throw error(problem{.reason = "this NetDef only fills weights",
                        .remedy = "give predict_net first, then init_net"});
  const network_graph all(net.root(), weights.root(), wanted);
  const auto bytes = predict.content.size() + init.content.size();
  translation::channels_first_translator to(predict.file, all.graph(), wanted, bytes);
  to.read_inputs();
  onnx_format::constant_elements most(bytes, wanted.limits);
  for (const auto& [name, op] : all.fills())
    if (to.needs(name))
      to.problems().attempt(name, [&] { to.hold(name, operand::of(filled(op, most))); });
  auto result = to.translate(
      [](const std::string& type) { return operators().contains(type); },
      [&](std::size_t k) {
        const arguments given(all.op(k));
        const auto& l = all.graph().layers[k];
        auto found = operators().at(l.type).convert(conversion(l, given, to));
        given.require_understood();
        return found;
      },
      translation::names_of(operators()));
  for (auto note : all.notes()) {
    note.file = predict.file;
    result.notes.push_back(std::move(note));
  }
  return result;
}

}  // namespace caffe2_format

NVDLAC_IMPL network caffe2_network_from(const named_content& predict, const named_content& init,
                                        const part& wanted) {
  for (const auto* net : {&predict, &init})
    if (const auto kind = recognise(net->content); kind.kind != file_kind::caffe2_net)
      throw error(problem{.file = net->file,
                          .reason = "this is " + kind.name + ", not a NetDef of Caffe2",
                          .remedy = kind.remedy});
  return nvdlac::in_file(predict.file, [&] {
    return caffe2_format::translated(predict, init, wanted);
  });
}

// Weak as further_readers.hpp declares it: a program of headers alone may have it in several
// sources.
network read_caffe2(const named_content& model, const weight_content& weights,
                    const part& wanted) {
  return caffe2_network_from(model, std::get<named_content>(weights), wanted);
}

}  // namespace nvdlac::import
