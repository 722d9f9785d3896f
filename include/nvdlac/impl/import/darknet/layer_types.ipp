// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/darknet/functions.hpp>
#include <nvdlac/import/darknet/layer_types.hpp>
#include <nvdlac/import/darknet/layout.hpp>

namespace nvdlac::import::darknet_format {

NVDLAC_IMPL net::batch_norm take_normalisation(const context& c, std::int64_t channels) {
  net::batch_norm norm{.epsilon = c.epsilon};
  norm.gamma = c.weights.take(c.name, {channels}, "factor");
  norm.mean = c.weights.take(c.name, {channels}, "mean");
  norm.variance = c.weights.take(c.name, {channels}, "variance");
  return norm;
}

NVDLAC_IMPL std::int32_t padding_of(const context& c, std::int32_t size) {
  return c.s.flag("pad") ? size / 2 : c.small("padding", 0, 0);
}

NVDLAC_IMPL id on_convolutional(const context& c) {
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

NVDLAC_IMPL id on_deconvolutional(const context& c) {
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

NVDLAC_IMPL id on_connected(const context& c) {
  const auto x = c.input();
  const net::shape in = c.shape(x);
  net::fully_connected op{.outputs = c.small("output", 1)};
  (void)op.infer(std::span(&in, 1));
  const auto function = function_of(c, "logistic");
  const auto inputs = static_cast<std::int64_t>(in.size());
  auto bias = c.weights.take(c.name, {op.outputs}, "bias");
  op.weights = c.weights.take(c.name, {op.outputs, inputs}, "weights");
  if (c.weights.transposed() && !op.weights.empty())
    op.weights =
        onnx_format::apply(
            onnx_format::array::of_reals({inputs, op.outputs}, op.weights),
            onnx_format::transpose({inputs, op.outputs}, {1, 0}, c.ceiling())).reals;
  const bool normalised = c.s.flag("batch_normalize");
  net::batch_norm norm;
  if (normalised) norm = take_normalisation(c, op.outputs);
  return trained_layer(c, x, std::move(op), std::move(bias), normalised ? &norm : nullptr,
                       function);
}

NVDLAC_IMPL id on_batchnorm(const context& c) {
  const auto x = c.input();
  auto bias = c.weights.take(c.name, {c.shape(x).c}, "bias");
  auto norm = take_normalisation(c, c.shape(x).c);
  norm.beta = std::move(bias);
  return c.add(c.name, std::move(norm), {x});
}

NVDLAC_IMPL pooled_side::pooled_side(std::int64_t in, std::int64_t size, std::int64_t stride,
                                     std::int64_t padding) {
  if (in + padding < size)
    throw error(text("its window of ", size, " is larger than the padded input of ",
                     in + padding));
  const auto out = (in + padding - size) / stride + 1;
  before = static_cast<std::int32_t>(padding / 2);
  after = static_cast<std::int32_t>(
      std::max<std::int64_t>((out - 1) * stride + size - in - padding / 2, 0));
}

NVDLAC_IMPL id pooled(const context& c, net::pool_kind kind) {
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

NVDLAC_IMPL id on_avgpool(const context& c) {
  return c.add(c.name, net::pool{.kind = net::pool_kind::average, .global = true}, {c.input()});
}

NVDLAC_IMPL bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const auto space = std::min(words.find(' '), words.size());
    if (words.substr(0, space) == word) return true;
    words.remove_prefix(std::min(space + 1, words.size()));
  }
  return false;
}

NVDLAC_IMPL std::int64_t boxes_of(const context& c) {
  const auto mask = c.s.integers("mask");
  return mask.empty() ? c.small("num", 1) : static_cast<std::int64_t>(mask.size());
}

NVDLAC_IMPL std::int64_t into_yolo(const context& c) {
  return net::product({boxes_of(c), c.small("classes", 20, 0) + std::int64_t{5}});
}

NVDLAC_IMPL std::int64_t into_gaussian_yolo(const context& c) {
  return net::product({boxes_of(c), c.small("classes", 20, 0) + std::int64_t{9}});
}

NVDLAC_IMPL std::int64_t into_region(const context& c) {
  return net::product({c.small("num", 1), c.small("classes", 20, 0) +
                                              std::int64_t{c.small("coords", 4, 0)} + 1});
}

NVDLAC_IMPL std::int64_t into_detection(const context& c) {
  const std::int64_t side = c.small("side", 7), coords = c.small("coords", 1, 0);
  return net::product({side, side, net::product({c.small("num", 1), 1 + coords}) +
                                       c.small("classes", 1, 0)});
}

NVDLAC_IMPL const std::map<std::string_view, layer_type>& layer_types() {
  static const std::map<std::string_view, layer_type> all = [] {
    std::map<std::string_view, layer_type> m = {
        {"activation", {on_activation, nullptr, "activation"}},
        {"avgpool", {on_avgpool}},
        {"batchnorm", {on_batchnorm}},
        {"connected", {on_connected, nullptr, "output activation batch_normalize"}},
        {"convolutional",
         {on_convolutional, nullptr,
          "filters size stride stride_x stride_y pad padding groups dilation activation "
          "batch_normalize cbn antialiasing binary xnor bin_output flipped coordconv sway rotate "
          "stretch stretch_sway share_index",
          "assisted_excitation dot angle grad_centr reverse"}},
        {"cost", {on_cost, nullptr, "", "type scale ratio"}},
        {"crop", {on_crop, nullptr, "crop_height crop_width noadjust",
                  "flip angle saturation exposure shift"}},
        {"deconvolutional", {on_deconvolutional, nullptr,
                             "filters size stride pad padding activation batch_normalize flipped"}},
        {"dropout", {on_nothing, nullptr, "",
                     "probability dropblock dropblock_size_rel dropblock_size_abs"}},
        {"empty", {on_nothing}},
        {"local_avgpool", {on_local_avgpool, nullptr, "size stride stride_x stride_y padding"}},
        {"maxpool", {on_maxpool, nullptr,
                     "size stride stride_x stride_y padding maxpool_depth antialiasing",
                     "out_channels maxpool_zero_nonmax"}},
        {"reorg", {on_reorg, nullptr, "stride reverse"}},
        {"reorg3d", {on_reorg3d, nullptr, "stride reverse"}},
        {"route", {on_route, nullptr, "layers groups group_id"}},
        {"sam", {on_sam, nullptr, "from activation"}},
        {"scale_channels", {on_scale_channels, nullptr, "from activation scale_wh"}},
        {"shortcut", {on_shortcut, nullptr, "from activation weights_type",
                      "weights_normalization"}},
        {"silence", {on_nothing}},
        {"softmax", {on_softmax, nullptr, "groups temperature spatial tree", "noloss"}},
        {"upsample", {on_upsample, nullptr, "stride scale"}},
        {"yolo", {nullptr, into_yolo, of_yolo, of_boxes}},
        {"Gaussian_yolo", {nullptr, into_gaussian_yolo, of_yolo, of_boxes}},
        {"region", {nullptr, into_region, "classes num coords",
                    "absolute anchors bias_match class_scale classfix coord_scale focal_loss "
                    "jitter log map mask_scale max noobject_scale object_scale random rescore "
                    "resize softmax sqrt thresh tree background"}},
        {"detection", {nullptr, into_detection, "classes num coords side",
                       "class_scale coord_scale forced jitter max noobject_scale object_scale "
                       "random reorg rescore resize softmax sqrt"}},
    };
    for (const auto& [other, name] :
         {std::pair{"conv", "convolutional"}, {"conn", "connected"}, {"max", "maxpool"},
          {"avg", "avgpool"}, {"soft", "softmax"}, {"local_avg", "local_avgpool"},
          {"deconv", "deconvolutional"}})
      m.emplace(other, m.at(name));
    return m;
  }();
  return all;
}

NVDLAC_IMPL problem unsupported(const std::string& type, bool& listed) {
  if (lists("rnn lstm gru crnn conv_lstm history", type))
    return {.reason = "sections [" + type + "] keep a state from one input to the next",
            .remedy = "NVDLA computes each picture alone"};
  if (lists("lrn normalization", type))
    return {.reason = "sections [" + type + "] are not supported: Darknet's own sum leaves out a "
                      "channel"};
  if (type == "local")
    return {.reason = "sections [local] have weights of their own for each place, which no "
                      "convolution of NVDLA has"};
  std::string known;
  for (const auto& [name, ignored] : layer_types())
    known += (known.empty() ? "" : ", ") + std::string(name);
  return {.reason = "sections [" + type + "] are not supported",
          .remedy = std::exchange(listed, true) ? "" : "supported are " + known};
}

}  // namespace nvdlac::import::darknet_format
