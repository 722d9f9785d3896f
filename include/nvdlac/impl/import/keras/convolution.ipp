// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/activation.hpp>
#include <nvdlac/import/keras/convolution.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL window window_of(const conversion& c, std::size_t axes, const char* strides,
                             const dims& stride, bool with_dilations) {
  window w{.channels_first = c.channels_first()};
  w.strides = c.l.positive(strides, axes, stride);
  if (with_dilations) w.dilations = c.l.positive("dilation_rate", axes, dims(axes, 1));
  w.strides.resize(2, 1);
  w.dilations.resize(2, 1);
  const auto padding = c.l.string("padding", "valid");
  if (padding != "same" && padding != "valid" && !(padding == "causal" && axes == 1))
    throw error(problem{.reason = "its padding is " + padding,
                        .remedy = "valid and same are supported"});
  w.kind = padding == "same" ? window::padding::same
           : padding == "valid" ? window::padding::valid : window::padding::given;
  return w;
}

NVDLAC_IMPL void require_room(const conversion& c, const window& w, const dims& kernel) {
  for (std::size_t k = 0; k < 2; ++k)
    if (w.outputs(k, c.shape(0)[w.first_axis() + k], kernel[k]) < 1)
      throw error(text("its windows of ", onnx_format::to_text(kernel), " do not fit ",
                       onnx_format::to_text(c.shape(0))));
}

NVDLAC_IMPL conversion raised(const conversion& c, bool first) {
  if (c.shape(0).size() != 3)
    throw error("its input has the shape " + onnx_format::to_text(c.shape(0)) +
                (first ? ", not [1, channels, steps]" : ", not [1, steps, channels]"));
  dims d = c.shape(0);
  d.insert(first ? d.end() : d.end() - 1, 1);
  return c.on({c.reshaped(c.plain(0), d), d, order::of_file});
}

NVDLAC_IMPL computed lowered(const conversion& c, computed y, bool first) {
  y = in_file_order(c, std::move(y));
  y.shape.erase(y.shape.begin() + (first ? 3 : 2));
  y.value = c.reshaped(y.value, y.shape);
  return y;
}

NVDLAC_IMPL array kernel_of(const conversion& c, std::size_t k, std::size_t axes, bool flips) {
  array a = c.reals(c.weight(k), "weights");
  if (a.shape.size() != axes + 2 || a.size() == 0)
    throw error("its weights have the shape " + onnx_format::to_text(a.shape));
  if (c.l.kernels_first && axes == 2)
    a = onnx_format::apply(a, onnx_format::transpose(a.shape, {2, 3, 1, 0}, c.ceiling()));
  if (axes == 1) a.shape.insert(a.shape.begin() + 1, 1);
  if (!c.from.theano || !flips) return a;
  if (c.l.class_name != "Conv1D" && c.l.class_name != "Conv2D" &&
      c.l.class_name != "Conv2DTranspose")
    throw error(problem{.reason = "its weights were written by Theano",
                        .remedy = "of such layers Conv1D, Conv2D and Conv2DTranspose are known"});
  const auto block = static_cast<std::size_t>(a.shape[2] * a.shape[3]);
  const std::size_t places = a.size() / block;
  for (std::size_t i = 0; i < places / 2; ++i)
    std::swap_ranges(a.reals.begin() + static_cast<std::ptrdiff_t>(i * block),
                     a.reals.begin() + static_cast<std::ptrdiff_t>((i + 1) * block),
                     a.reals.begin() + static_cast<std::ptrdiff_t>((places - 1 - i) * block));
  return a;
}

NVDLAC_IMPL void require_size(const conversion& c, const array& kernel, std::size_t axes,
                              std::int64_t kernels, std::size_t at) {
  dims size = c.l.positive("kernel_size", axes, {kernel.shape[0], kernel.shape[1]});
  size.resize(2, 1);
  if (kernel.shape[0] != size[0] || kernel.shape[1] != size[1] || kernel.shape[at] != kernels)
    throw error(text("its weights ", onnx_format::to_text(kernel.shape), " do not fit ",
                     onnx_format::to_text(size), " and ", kernels));
}

NVDLAC_IMPL void require_biases(const conversion& c, std::size_t k, std::int64_t kernels) {
  if (k < c.weights()) c.require_weight(k, "bias", {kernels});
}

NVDLAC_IMPL void require_channels(std::int64_t channels, std::int64_t wanted) {
  if (channels != wanted)
    throw error(text("its weights are for ", wanted, " channels, but it has ", channels));
}

NVDLAC_IMPL void convolve(const conversion& c, std::size_t axes) {
  const bool bias = c.l.flag("use_bias", true);
  c.require(bias ? 2 : 1);
  const auto activation = activation_of(c);
  auto w = window_of(c, axes, "strides", dims(axes, 1), true);
  array k = kernel_of(c, 0, axes);
  const auto filters = c.l.integer("filters", 0);
  require_size(c, k, axes, filters, 3);
  require_biases(c, 1, filters);
  const auto groups = c.l.integer("groups", 1);
  if (w.kind == window::padding::given) w.pads[0] = (k.shape[0] - 1) * w.dilations[0];
  const conversion at = axes == 1 ? raised(c, w.channels_first) : c;
  require_picture(at, 0, w);
  if (groups < 1 || filters % groups != 0) throw error(text("its groups are ", groups));
  require_channels(at.shape(0)[w.channel_axis()], k.shape[2] * groups);
  k = onnx_format::apply(k, onnx_format::transpose(k.shape, {3, 2, 0, 1}, c.ceiling()));
  require_room(at, w, {k.shape[2], k.shape[3]});
  auto y = translation::convolve(at, c.before(activation), k, groups, w,
                                 bias ? std::optional(at.weight(1)) : std::nullopt);
  if (axes == 1) y = lowered(c, std::move(y), w.channels_first);
  c.give(activated(c, std::move(y), activation));
}

NVDLAC_IMPL computed convolve_depthwise(const conversion& c, const std::string& layer,
                                        const window& w, std::optional<std::size_t> bias) {
  array k = kernel_of(c, 0, 2);
  const auto channels = c.shape(0)[w.channel_axis()];
  require_size(c, k, 2, c.l.integer("depth_multiplier", 1), 3);
  require_channels(channels, k.shape[2]);
  k = onnx_format::apply(k, onnx_format::transpose(k.shape, {2, 3, 0, 1}, c.ceiling()));
  k.shape = {k.shape[0] * k.shape[1], 1, k.shape[2], k.shape[3]};
  require_room(c, w, {k.shape[2], k.shape[3]});
  return translation::convolve(c, layer, k, channels, w, bias);
}

NVDLAC_IMPL void on_depthwise_conv(const conversion& c) {
  const bool bias = c.l.flag("use_bias", true);
  c.require(bias ? 2 : 1);
  const auto activation = activation_of(c);
  if (c.l.integer("groups", 1) != 1) throw error("its groups are not 1");
  const auto w = window_of(c, 2, "strides", {1, 1}, true);
  require_picture(c, 0, w);
  require_biases(c, 1, c.shape(0)[w.channel_axis()] * c.l.integer("depth_multiplier", 1));
  c.give(activated(c, convolve_depthwise(c, c.before(activation), w,
                                         bias ? std::optional(c.weight(1)) : std::nullopt),
                   activation));
}

NVDLAC_IMPL void on_separable_conv(const conversion& c) {
  const bool bias = c.l.flag("use_bias", true);
  c.require(bias ? 3 : 2);
  const auto activation = activation_of(c);
  if (c.l.integer("groups", 1) != 1) throw error("its groups are not 1");
  const auto w = window_of(c, 2, "strides", {1, 1}, true);
  require_picture(c, 0, w);
  const auto middle = c.on(convolve_depthwise(c, c.name() + "/depthwise", w, std::nullopt));
  array k = kernel_of(c, 1, 2);
  const auto filters = c.l.integer("filters", 0);
  if (k.shape[0] != 1 || k.shape[1] != 1 || k.shape[3] != filters)
    throw error(text("its pointwise weights are ", onnx_format::to_text(k.shape)));
  require_channels(middle.shape(0)[w.channel_axis()], k.shape[2]);
  require_biases(c, 2, filters);
  k = onnx_format::apply(k, onnx_format::transpose(k.shape, {3, 2, 0, 1}, c.ceiling()));
  c.give(activated(c, translation::convolve(middle, c.before(activation), k, 1,
                                            {.channels_first = w.channels_first},
                                            bias ? std::optional(middle.weight(2)) : std::nullopt),
                   activation));
}

NVDLAC_IMPL void on_conv_transpose(const conversion& c) {
  const bool bias = c.l.flag("use_bias", true);
  c.require(bias ? 2 : 1);
  const auto activation = activation_of(c);
  const auto w = window_of(c, 2, "strides", {1, 1}, true);
  require_picture(c, 0, w);
  array k = kernel_of(c, 0, 2);
  const auto filters = c.l.integer("filters", 0);
  require_size(c, k, 2, filters, 2);
  require_channels(c.shape(0)[w.channel_axis()], k.shape[3]);
  require_biases(c, 1, filters);
  const auto more = c.l.per_axis("output_padding", 2);
  const bool same = w.kind == window::padding::same;
  dims size = c.shape(0);
  size[w.channel_axis()] = filters;
  for (std::size_t i = 0; i < 2; ++i) {
    auto& n = size[w.first_axis() + i];
    const auto in = n, stride = w.strides[i], reach = (k.shape[i] - 1) * w.dilations[i] + 1;
    if (more) n = (in - 1) * stride + reach + (*more)[i] - (same ? 2 * (reach / 2) : 0);
    else n = in * stride + (same ? 0 : std::max<std::int64_t>(reach - stride, 0));
    if (n < 1 || (more && ((*more)[i] < 0 || (*more)[i] >= stride)) ||
        w.outputs(i, n, k.shape[i]) != in)
      throw error(text("its output ", onnx_format::to_text(size), " does not fit its input ",
                       onnx_format::to_text(c.shape(0))));
  }
  k = onnx_format::apply(k, onnx_format::transpose(k.shape, {3, 2, 0, 1}, c.ceiling()));
  c.give(activated(c, translation::convolve_transposed(
                          c, c.before(activation), 0, size, k, w,
                          bias ? std::optional(c.weight(1)) : std::nullopt),
                   activation));
}

NVDLAC_IMPL computed pooled(const conversion& c, const char* type, std::size_t axes,
                            const std::string& layer) {
  c.require(0);
  dims kernel = c.l.positive("pool_size", axes, dims(axes, 2));
  const auto w = window_of(c, axes, "strides", kernel, false);
  kernel.resize(2, 1);
  const conversion at = axes == 1 ? raised(c, w.channels_first) : c;
  require_picture(at, 0, w);
  require_room(at, w, kernel);
  auto y = translation::pool(at, type, layer, w, kernel);
  return axes == 1 ? lowered(c, std::move(y), w.channels_first) : y;
}

NVDLAC_IMPL void pool(const conversion& c, const char* type, std::size_t axes) {
  c.give(pooled(c, type, axes, c.name()));
}

NVDLAC_IMPL computed pooled_all(const conversion& c, const char* type, std::size_t axes,
                                const std::string& layer) {
  c.require(0);
  const window w{.channels_first = c.channels_first()};
  const bool keep = c.l.flag("keepdims", false);
  const conversion at = axes == 1 ? raised(c, w.channels_first) : c;
  require_picture(at, 0, w);
  const auto in = w.order_in();
  const auto y = c.node(type, layer, {at.in_order(0, in)});
  const auto channels = at.shape(0)[w.channel_axis()];
  if (axes == 2 && keep) {
    dims shape{1, 1, 1, 1};
    shape[w.channel_axis()] = channels;
    return {y, shape, in};
  }
  dims shape{1, channels};
  if (keep) shape.insert(w.channels_first ? shape.end() : shape.begin() + 1, 1);
  return {c.reshaped(y, shape), shape, order::of_file};
}

NVDLAC_IMPL void pool_all(const conversion& c, const char* type, std::size_t axes) {
  c.give(pooled_all(c, type, axes, c.name()));
}

NVDLAC_IMPL void on_dense(const conversion& c) {
  const bool bias = c.l.flag("use_bias", true);
  c.require(bias ? 2 : 1);
  const auto activation = activation_of(c);
  const auto units = c.l.integer("units", 0);
  const dims in = c.shape(0);
  array k = kernel_of(c, 0, 0, false);
  if (in.size() < 2 || in.size() > 4) throw error("its input is " + onnx_format::to_text(in));
  if (k.shape != dims{in.back(), units})
    throw error(text("its weights ", onnx_format::to_text(k.shape), " do not fit ", in.back(),
                     " channels and ", units, " units"));
  require_biases(c, 1, units);
  if (in.size() == 2) {
    translation::names inputs{c.plain(0), c.all().write(k, c.name())};
    if (bias) inputs.push_back(c.all().write(c.reals(c.weight(1), "bias"), c.name()));
    return c.give(activated(c, {c.node("Gemm", c.before(activation), inputs), {in[0], units}},
                            activation));
  }
  k = onnx_format::apply(k, onnx_format::transpose(k.shape, {1, 0}, c.ceiling()));
  k.shape = {units, in.back(), 1, 1};
  const conversion at = in.size() == 3 ? raised(c, false) : c;
  auto y = translation::convolve(at, c.before(activation), k, 1, {},
                                 bias ? std::optional(at.weight(1)) : std::nullopt);
  if (in.size() == 3) y = lowered(c, std::move(y), false);
  c.give(activated(c, std::move(y), activation));
}

NVDLAC_IMPL void on_batch_normalisation(const conversion& c) {
  const bool scale = c.l.flag("scale", true), center = c.l.flag("center", true);
  const std::size_t learned = std::size_t{scale} + std::size_t{center};
  c.require(2 + learned);
  (void)c.l.find("momentum");  // of training, as the next ones
  (void)c.l.find("renorm_momentum");
  (void)c.l.find("renorm_clipping");
  (void)c.l.find("fused");
  if (c.l.integer("mode", 0) != 0) throw error("its mode is not 0");
  if (c.l.flag("renorm", false)) throw error("it has renorm, which is not supported");
  const auto given = c.l.axes();
  if (given.size() != 1) throw error("its axis is " + onnx_format::to_text(given));
  const dims shape = c.shape(0);
  const auto axis = onnx_format::checked_axis(given[0], shape.size());
  const bool last = std::cmp_equal(axis + 1, shape.size()), picture = shape.size() == 4;
  if (!last && !(axis == 1 && picture))
    throw error(problem{.reason = text("its axis is ", axis),
                        .remedy = "the axis of channels is supported"});
  const auto channels = shape[static_cast<std::size_t>(axis)];
  const auto values_of = [&](std::size_t k, const char* what) {
    c.require_weight(k, what, {channels});
    return c.reals(c.weight(k), what);
  };
  const auto n = static_cast<std::size_t>(channels);
  const array ones = array::of_reals({channels}, std::vector<float>(n, 1.0F)),
              zeros = array::of_reals({channels}, std::vector<float>(n, 0.0F));
  const array gamma = scale ? values_of(0, "gamma") : ones,
              beta = center ? values_of(learned - 1, "beta") : zeros,
              mean = values_of(learned, "mean"), variance = values_of(learned + 1, "variance");
  const float epsilon = c.l.number("epsilon", 1e-3F);
  const order in = picture && last ? order::channels_second : order::of_file;
  if (picture || shape.size() == 2) {
    translation::names inputs{c.in_order(0, in)};
    for (const auto* a : {&gamma, &beta, &mean, &variance})
      inputs.push_back(c.all().write(*a, c.name()));
    return c.give({c.node("BatchNormalization", c.name(), inputs, {{"epsilon", epsilon}}), shape,
                   in});
  }
  std::vector<float> factor(n), offset(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double f = gamma.reals[i] / std::sqrt(double{variance.reals[i]} + epsilon);
    factor[i] = static_cast<float>(f);
    offset[i] = static_cast<float>(beta.reals[i] - mean.reals[i] * f);
  }
  const auto scaled = c.node("Mul", c.name() + "/scale",
                             {c.plain(0), c.per_channel(std::move(factor), in)});
  c.give_plain(c.node("Add", c.name(), {scaled, c.per_channel(std::move(offset), in)}), shape);
}

NVDLAC_IMPL void give_average(const conversion& c, const std::optional<quantiser>& q, computed y,
                              std::int64_t elements, const function& activation) {
  if (q) {
    if (q->auto_po2)
      throw error(problem{.reason = "its average_quantizer has alpha='auto_po2'",
                          .remedy = "train with alpha=1"});
    const auto n = static_cast<float>(elements);
    std::vector<float> part{1 / n};
    put_on_grid(part, *q);
    y.value = c.node("Mul", c.before(activation),
                     {y.value, c.all().write_number(part[0] * n, c.name())});
  }
  c.give(activated(c, std::move(y), activation));
}

NVDLAC_IMPL void on_quantised_average_2d(const conversion& c) {
  const auto q = quantiser_of(c.l, "average_quantizer");
  const auto activation = activation_of(c);
  const auto size = c.l.positive("pool_size", 2, {2, 2});
  give_average(c, q, pooled(c, "AveragePool", 2, q ? c.name() + "/average" : c.before(activation)),
               size[0] * size[1], activation);
}

NVDLAC_IMPL void on_quantised_global_average_2d(const conversion& c) {
  const auto q = quantiser_of(c.l, "average_quantizer");
  const auto activation = activation_of(c);
  require_picture(c, 0, {.channels_first = c.channels_first()});
  const auto at = std::size_t{c.channels_first() ? 2U : 1U};
  give_average(c, q,
               pooled_all(c, "GlobalAveragePool", 2,
                          q ? c.name() + "/average" : c.before(activation)),
               c.shape(0)[at] * c.shape(0)[at + 1], activation);
}

}  // namespace nvdlac::import::keras_format
