// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tensorflow/conversion.hpp>
#include <nvdlac/import/tensorflow/convolution.hpp>
#include <nvdlac/import/tensorflow/node.hpp>
#include <nvdlac/import/tensorflow/tensors.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL void take_blocks(const conversion& c, translation::window& w, blocks& b) {
  using kind = translation::window::padding;
  if (w.kind != kind::valid || w.strides != dims{1, 1} || w.dilations != dims{1, 1})
    throw error("it is no plain convolution between SpaceToBatchND and BatchToSpaceND");
  w.kind = kind::given;
  for (std::size_t axis = 0; axis < b.size(); ++axis) {
    const bool inside = axis >= w.first_axis() && axis < w.first_axis() + 2;
    auto& one = b[axis];
    if (!inside && (one.size != 1 || one.before != 0 || one.after != 0))
      throw error("SpaceToBatchND before it cuts more than height and width");
    if (!inside) continue;
    // Elements that BatchToSpaceND leaves out are not computed where zeros would give them.
    if (axis < c.crops_ahead.size()) {
      one.cropped_before = std::min(one.before, c.crops_ahead[axis].before);
      one.cropped_after = std::min(one.after, c.crops_ahead[axis].after);
    }
    const auto k = axis - w.first_axis();
    w.dilations[k] = one.size;
    w.pads[k] = one.before - one.cropped_before;
    w.pads[k + 2] = one.after - one.cropped_after;
    one.before = one.after = 0;
  }
}

NVDLAC_IMPL void convolve(const conversion& c, const array& weights, std::int64_t groups) {
  auto w = c.window();
  const auto* cut = c.cut(0);
  blocks b;
  if (cut != nullptr) take_blocks(c, w, b = *cut);
  c.give(translation::convolve(c, c.name(), weights, groups, w));
  if (cut != nullptr) c.set_cut(std::move(b));
}

NVDLAC_IMPL array weights_of(const conversion& c, std::size_t i) {
  array w = c.reals(i, "weights");
  if (w.shape.size() != 4 || w.size() == 0)
    throw error(text("its weights have the shape ", onnx_format::to_text(w.shape)));
  return w;
}

NVDLAC_IMPL void on_conv(const conversion& c) {
  c.require_inputs(2, 2);
  const auto w = c.window();
  require_picture(c, 0, w);
  const array weights = weights_of(c, 1);
  const auto channels = c.shape(0)[w.channel_axis()];
  if (channels % weights.shape[2] != 0)
    throw error(text("its weights ", onnx_format::to_text(weights.shape), " do not fit ", channels,
                     " channels"));
  convolve(c,
           onnx_format::apply(weights, onnx_format::transpose(weights.shape, {3, 2, 0, 1},
                                                              c.ceiling())),
           channels / weights.shape[2]);
}

NVDLAC_IMPL void on_depthwise_conv(const conversion& c) {
  c.require_inputs(2, 2);
  const auto w = c.window();
  require_picture(c, 0, w);
  array weights = weights_of(c, 1);
  const auto channels = c.shape(0)[w.channel_axis()];
  if (channels != weights.shape[2])
    throw error(text("its weights ", onnx_format::to_text(weights.shape), " do not fit ", channels,
                     " channels"));
  weights = onnx_format::apply(weights, onnx_format::transpose(weights.shape, {2, 3, 0, 1},
                                                               c.ceiling()));
  weights.shape = {weights.shape[0] * weights.shape[1], 1, weights.shape[2], weights.shape[3]};
  convolve(c, weights, channels);
}

NVDLAC_IMPL void on_conv_transpose(const conversion& c) {
  c.require_inputs(3, 3);
  const auto w = c.window();
  require_picture(c, 2, w);
  const dims size = c.integers(0, "sizes");
  const array weights = weights_of(c, 1);
  if (size.size() != 4 || size[w.channel_axis()] != weights.shape[2] ||
      c.shape(2)[w.channel_axis()] != weights.shape[3])
    throw error(text("its weights ", onnx_format::to_text(weights.shape), " do not fit its input ",
                     onnx_format::to_text(c.shape(2)), " and output ",
                     onnx_format::to_text(size)));
  if (size[0] != c.shape(2)[0]) throw error(text("its output is of ",
                                                 count_of(size[0], "picture")));
  if (w.kind == translation::window::padding::given)
    throw error("its padding is EXPLICIT, which is not supported");
  for (std::size_t k = 0; k < 2; ++k) {
    const auto out = size[w.first_axis() + k];
    if (w.strides[k] < 1 || w.dilations[k] < 1 || out < 1 ||
        w.outputs(k, out, weights.shape[k]) != c.shape(2)[w.first_axis() + k])
      throw error(text("its output ", onnx_format::to_text(size), " does not fit its input ",
                       onnx_format::to_text(c.shape(2))));
  }
  c.give(translation::convolve_transposed(
      c, c.name(), 2, size,
      onnx_format::apply(weights, onnx_format::transpose(weights.shape, {3, 2, 0, 1},
                                                         c.ceiling())),
      w));
}

NVDLAC_IMPL void pool(const conversion& c, const char* type) {
  c.require_inputs(1, 1);
  const auto w = c.window();
  require_picture(c, 0, w);
  c.give(translation::pool(c, type, c.name(), w, c.spatial("ksize", w, true)));
}

NVDLAC_IMPL void on_mat_mul(const conversion& c) {
  c.require_inputs(2, 2);
  const bool left = c.n.flag("transpose_a", false), right = c.n.flag("transpose_b", false);
  for (const std::size_t i : {0U, 1U})
    if (c.shape(i).size() != 2) throw error(text("its input ", i, " is no matrix"));
  if (c.is_constant(0) || !c.is_constant(1))
    return c.give(translation::multiply_matrices(c, left, right));
  const array w = c.reals(1, "weights");
  const auto height = c.shape(0)[left ? 1 : 0], width = w.shape[right ? 0 : 1];
  c.give_plain(c.node("Gemm", c.name(), {c.plain(0), c.all().write(w, c.name())},
                      {{"transA", std::int64_t{left}}, {"transB", std::int64_t{right}}}),
               {height, width});
}

NVDLAC_IMPL void on_batch_mat_mul(const conversion& c) {
  c.require_inputs(2, 2);
  c.give(translation::multiply_matrices(c, c.n.flag("adj_x", false), c.n.flag("adj_y", false)));
}

NVDLAC_IMPL void on_bias_add(const conversion& c) {
  c.require_inputs(2, 2);
  const bool first = c.channels_first();
  array bias = c.reals(1, "bias values");
  const dims shape = c.shape(0);
  if (shape.size() < 2 || bias.shape.size() != 1 || shape[first ? 1 : shape.size() - 1] !=
                                                        bias.shape[0])
    throw error(text("its bias values ", onnx_format::to_text(bias.shape), " do not fit ",
                     onnx_format::to_text(shape)));
  auto order = c.common_order();
  if (shape.size() == 4 && first) order = order::of_file;
  dims longer(shape.size(), 1);
  longer[first || (shape.size() == 4 && order == order::channels_second) ? 1 : shape.size() - 1] =
      bias.shape[0];
  bias.shape = longer;
  c.give({c.node("Add", c.name(), {c.in_order(0, order), c.all().write(bias, c.name())}), shape,
          order});
}

NVDLAC_IMPL void on_batch_norm(const conversion& c) {
  c.require_inputs(5, 5);
  translation::window w{.channels_first = c.channels_first()};
  require_picture(c, 0, w);
  if (c.n.flag("is_training", true))
    throw error(problem{.reason = "it is in training: its statistics come from the batch",
                        .remedy = "export the network for inference"});
  names inputs{c.in_order(0, w.order_in())};
  const char* const what[] = {"", "scales", "offsets", "means", "variances"};
  for (const std::size_t i : {1U, 2U, 3U, 4U}) {
    const array a = c.reals(i, what[i]);
    if (a.shape != dims{c.shape(0)[w.channel_axis()]})
      throw error(text("its ", what[i], " ", onnx_format::to_text(a.shape), " do not fit ",
                       onnx_format::to_text(c.shape(0))));
    inputs.push_back(c.all().write(a, c.name()));
  }
  c.give({c.node("BatchNormalization", c.name(), inputs,
                 {{"epsilon", c.n.number("epsilon", 1e-4F)}}),
          c.shape(0), w.order_in()});
}

}  // namespace nvdlac::import::tensorflow_format
