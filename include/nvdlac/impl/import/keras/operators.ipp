// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/convolution.hpp>
#include <nvdlac/import/keras/normalisation.hpp>
#include <nvdlac/import/keras/operators.hpp>
#include <nvdlac/import/keras/recurrent.hpp>
#include <nvdlac/import/keras/wrappers.hpp>
#include <nvdlac/import/translation/conversion.hpp>
#include <nvdlac/import/translation/moving.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL void on_nothing(const conversion& c) {
  c.require(0);
  for (const char* key : {"rate", "noise_shape", "stddev", "l1", "l2", "data_format"})
    (void)c.l.find(key);
  c.pass();
}

NVDLAC_IMPL dims borders(const conversion& c, const char* key, std::size_t axes) {
  const auto* given = c.l.find(key);
  dims pairs;
  const auto add = [&](const json& v) {
    if (!v.is_number_unsigned() || v.get<std::uint64_t>() > 65535)
      throw c.l.wrong_value(key, *given);
    pairs.push_back(v.get<std::int64_t>());
  };
  if (given == nullptr) return dims(2 * axes, 1);
  if (!given->is_array()) {
    for (std::size_t i = 0; i < 2 * axes; ++i) add(*given);
  } else if (given->size() == 2 * axes && (*given)[0].is_number()) {
    for (const auto& i : *given) add(i);
  } else {
    for (const auto& i : *given) {
      if (i.is_array()) {
        for (const auto& k : i) add(k);
      } else {
        add(i);
        add(i);
      }
    }
  }
  if (pairs.size() != 2 * axes) throw c.l.wrong_value(key, *given);
  return pairs;
}

NVDLAC_IMPL std::size_t first_place(const conversion& c, std::size_t axes) {
  const bool first = c.channels_first();
  if (c.shape(0).size() != axes + 2)
    throw error("its input has the shape " + onnx_format::to_text(c.shape(0)));
  return first ? 2 : 1;
}

NVDLAC_IMPL void pad(const conversion& c, std::size_t axes) {
  c.require(0);
  const auto at = first_place(c, axes);
  const dims around = borders(c, "padding", axes);
  dims pairs(2 * c.shape(0).size(), 0);
  for (std::size_t i = 0; i < around.size(); ++i) pairs[2 * at + i] = around[i];
  c.give(translation::pad(c, pairs, "constant"));
}

NVDLAC_IMPL void crop(const conversion& c, std::size_t axes) {
  c.require(0);
  const auto at = first_place(c, axes);
  const dims around = borders(c, "cropping", axes);
  dims begin(c.shape(0).size(), 0), size = c.shape(0);
  for (std::size_t i = 0; i < axes; ++i) {
    begin[at + i] = around[2 * i];
    size[at + i] -= around[2 * i] + around[2 * i + 1];
    if (size[at + i] < 1)
      throw error(text("it leaves nothing of ", onnx_format::to_text(c.shape(0))));
  }
  translation::give_part(c, begin, size);
}

// A picture in an order of elements, brought to the shape that it shall have in the file.
NVDLAC_IMPL computed resized(const conversion& c, std::string value, dims shape, order in,
                             const char* mode, const char* places) {
  std::vector<attribute> how{{"mode", std::string(mode)},
                             {"coordinate_transformation_mode", std::string(places)}};
  if (mode == std::string_view("nearest")) how.push_back({"nearest_mode", std::string("floor")});
  const dims size =
      in == order::channels_second ? translation::channels_second(shape) : shape;
  auto y = c.node("Resize", c.name(),
                  {std::move(value), "", "", c.all().write_integers(size, c.name())}, how);
  return {std::move(y), std::move(shape), in};
}

NVDLAC_IMPL void upsample(const conversion& c, std::size_t axes) {
  c.require(0);
  const bool first = c.channels_first();
  dims factors = c.l.positive("size", axes, dims(axes, 2));
  factors.resize(2, 1);
  const auto how = c.l.string("interpolation", "nearest");
  if (how != "nearest" && how != "bilinear")
    throw error(problem{.reason = "its interpolation is " + how,
                        .remedy = "nearest and bilinear are supported"});
  const window w{.channels_first = first};
  const conversion at = axes == 1 ? raised(c, first) : c;
  require_picture(at, 0, w);
  dims shape = at.shape(0);
  for (std::size_t i = 0; i < 2; ++i) shape[w.first_axis() + i] *= factors[i];
  const bool linear = how == "bilinear";
  computed y = resized(c, at.in_order(0, w.order_in()), std::move(shape), w.order_in(),
                       linear ? "linear" : "nearest", linear ? "half_pixel" : "asymmetric");
  c.give(axes == 1 ? lowered(c, std::move(y), first) : std::move(y));
}

NVDLAC_IMPL void on_upsampling_1d(const conversion& c) {
  c.require(0);
  const auto factor = c.l.positive("size", 1, {2})[0];
  const auto at = raised(c, false);
  dims shape = at.shape(0);
  shape[1] *= factor;
  constexpr auto in = order::channels_second;
  computed y = resized(c, at.picture(0), std::move(shape), in, "nearest", "asymmetric");
  c.give(lowered(c, std::move(y), false));
}

NVDLAC_IMPL void on_resizing(const conversion& c) {
  c.require(0);
  const window w{.channels_first = c.channels_first()};
  require_picture(c, 0, w);
  for (const char* key : {"crop_to_aspect_ratio", "pad_to_aspect_ratio", "antialias"})
    if (c.l.flag(key, false)) throw error(text("it has ", key, ", which is not supported"));
  (void)c.l.find("fill_mode");  // of padding, as the next one
  (void)c.l.find("fill_value");
  const auto how = c.l.string("interpolation", "bilinear");
  if (how != "nearest" && how != "bilinear")
    throw error(problem{.reason = "its interpolation is " + how,
                        .remedy = "nearest and bilinear are supported"});
  dims shape = c.shape(0);
  shape[w.first_axis()] = c.l.integer("height", 0);
  shape[w.first_axis() + 1] = c.l.integer("width", 0);
  for (const auto n : shape)
    if (n < 1 || n > 65535) throw error("it resizes to " + onnx_format::to_text(shape));
  const bool linear = how == "bilinear";
  c.give(resized(c, c.in_order(0, w.order_in()), std::move(shape), w.order_in(),
                 linear ? "linear" : "nearest", linear ? "half_pixel" : "tf_half_pixel_for_nn"));
}

NVDLAC_IMPL void on_flatten(const conversion& c) {
  c.require(0);
  const dims in = c.shape(0);
  std::int64_t n = 1;
  for (std::size_t i = 1; i < in.size(); ++i) n *= in[i];
  if (!c.channels_first() || in.size() < 3) return translation::give_reshaped(c, {in[0], n});
  dims last{0};
  for (std::size_t i = 2; i < in.size(); ++i) last.push_back(static_cast<std::int64_t>(i));
  last.push_back(1);
  const auto turned = c.node("Transpose", c.name(), {c.plain(0)}, {{"perm", last}});
  c.give_plain(c.reshaped(turned, {in[0], n}), {in[0], n});
}

NVDLAC_IMPL void on_reshape(const conversion& c) {
  c.require(0);
  auto target = c.l.integers("target_shape");
  if (!target) throw error("it has no target_shape");
  for (const auto d : *target)
    if (d == 0 || d < -1) throw error("its target_shape is " + onnx_format::to_text(*target));
  target->insert(target->begin(), c.shape(0).at(0));
  translation::give_reshaped(c, onnx_format::reshape(c.shape(0), *target, true));
}

NVDLAC_IMPL void on_permute(const conversion& c) {
  c.require(0);
  dims order = c.l.integers("dims").value_or(dims{});
  order.insert(order.begin(), 0);
  translation::give_transposed(c, order);
}

NVDLAC_IMPL computed joined(const conversion& c, const char* type, const std::string& layer) {
  c.require_data(1, 1024);
  if (c.data() == 1) throw error("it has a single input");
  if (c.all_constant()) throw error("its inputs are constant");
  if (c.data() == 2) return translation::binary(c, type, layer);
  auto y = c.input(0);
  for (std::size_t i = 1; i < c.data(); ++i)
    y = translation::binary(c.on(std::move(y), c.input(i)), type,
                            i + 1 == c.data() ? layer : text(layer, '/', i));
  return y;
}

NVDLAC_IMPL void on_subtract(const conversion& c) {
  c.require_data(2, 2);
  join(c, "Sub");
}

NVDLAC_IMPL void on_divide(const conversion& c) {
  c.require_data(2, 2);
  join(c, "Div");
}

NVDLAC_IMPL void on_average(const conversion& c) {
  auto y = joined(c, "Add", c.name() + "/sum");
  const auto part = 1.0F / static_cast<float>(c.data());
  y.value = c.node("Mul", c.name(), {y.value, c.all().write_number(part, c.name())});
  c.give(std::move(y));
}

NVDLAC_IMPL void on_concatenate(const conversion& c) {
  c.require_data(1, 4096);
  const auto axis = c.l.integer("axis", -1);
  for (std::size_t i = 1; i < c.data(); ++i) {
    const auto rank = c.shape(0).size();
    if (c.shape(i).size() != rank) throw error("its inputs have different numbers of dimensions");
    for (std::size_t k = 0; k < rank; ++k)
      if (std::cmp_not_equal(k, onnx_format::checked_axis(axis, rank)) &&
          c.shape(i)[k] != c.shape(0)[k])
        throw error(text("its inputs ", onnx_format::to_text(c.shape(0)), " and ",
                         onnx_format::to_text(c.shape(i)), " do not fit"));
  }
  if (onnx_format::checked_axis(axis, c.shape(0).size()) == 0)
    throw error("it joins pictures of a batch");
  c.give(translation::concat(c, 0, c.data(), axis, c.name()));
}

NVDLAC_IMPL void on_merge(const conversion& c) {
  for (const char* key : {"mode_type", "output_shape_type", "output_mask_type", "arguments"})
    (void)c.l.find(key);
  const auto axis = c.l.has("axis") ? c.l.integer("axis", -1) : -1;
  const auto dot = c.l.find("dot_axes");
  const auto mode = c.l.string("mode", "sum");
  (void)dot;  // of the modes dot and cos alone
  if (mode == "concat") return on_concatenate(c);
  (void)axis;  // of concat alone
  if (mode == "sum") return on_add(c);
  if (mode == "mul") return on_multiply(c);
  if (mode == "ave") return on_average(c);
  if (mode == "max") return on_maximum(c);
  throw error(problem{.reason = "its mode is " + mode,
                      .remedy = "sum, mul, ave, max and concat are supported"});
}

NVDLAC_IMPL void on_function(const conversion& c) {
  static const std::map<std::string_view, void (*)(const conversion&)> all = {
      {"__operators__.add", on_add}, {"math.add", on_add}, {"math.multiply", on_multiply},
      {"math.subtract", on_subtract}, {"math.truediv", on_divide}, {"math.maximum", on_maximum},
      {"math.minimum", on_minimum}};
  const auto function = c.l.string("function", "");
  if (!all.contains(function))
    throw error(problem{.reason = "the class TFOpLambda is not supported (function " + function +
                                  ")",
                        .remedy = "sums, products and quotients are supported"});
  all.at(function)(c);
}

NVDLAC_IMPL void scale(const conversion& c, std::vector<float> factor, std::vector<float> offset) {
  const auto in = c.common_order();
  const auto channels = static_cast<std::size_t>(c.shape(0).back());
  for (const auto* v : {&factor, &offset})
    if (v->size() != 1 && v->size() != channels)
      throw error(text("it has ", v->size(), " numbers for ", channels, " channels"));
  const auto scaled = c.node("Mul", c.name() + "/scale",
                             {c.in_order(0, in), c.per_channel(std::move(factor), in)});
  c.give({c.node("Add", c.name(), {scaled, c.per_channel(std::move(offset), in)}), c.shape(0), in});
}

NVDLAC_IMPL void on_rescaling(const conversion& c) {
  c.require(0);
  auto factor = c.l.numbers("scale");
  if (!factor || factor->empty()) throw error("it has no scale");
  auto offset = c.l.numbers("offset").value_or(std::vector{0.0F});
  if (offset.empty()) offset = {0.0F};
  scale(c, *std::move(factor), std::move(offset));
}

NVDLAC_IMPL void on_normalisation(const conversion& c) {
  c.require_data(1, 1);
  if (c.l.find("axis") != nullptr)
    if (const auto given = c.l.axes(); !given.empty()) require_last_axis(c);
  const std::vector<float> none;
  auto mean = c.l.numbers("mean").value_or(none);
  auto variance = c.l.numbers("variance").value_or(none);
  if (mean.empty() && c.weights() >= 2) {
    mean = c.reals(c.weight(0), "mean").reals;
    variance = c.reals(c.weight(1), "variance").reals;
  }
  if (mean.empty() || variance.size() != mean.size())
    throw error("its mean and variance are not known");
  const bool invert = c.l.flag("invert", false);
  std::vector<float> factor, offset;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const float deviation = std::max(std::sqrt(variance[i]), 1e-7F);
    factor.push_back(invert ? deviation : 1 / deviation);
    offset.push_back(invert ? mean[i] : -mean[i] / deviation);
  }
  scale(c, std::move(factor), std::move(offset));
}

NVDLAC_IMPL void on_quantised_conv_1d(const conversion& c) {
  on_conv_1d(quantised(c, {{"kernel_quantizer"}, {"bias_quantizer", false}}));
}

NVDLAC_IMPL void on_quantised_conv_2d(const conversion& c) {
  on_conv_2d(quantised(c, {{"kernel_quantizer"}, {"bias_quantizer", false}}));
}

NVDLAC_IMPL void on_quantised_conv_transpose(const conversion& c) {
  on_conv_transpose(quantised(c, {{"kernel_quantizer"}, {"bias_quantizer", false}}));
}

NVDLAC_IMPL void on_quantised_dense(const conversion& c) {
  on_dense(quantised(c, {{"kernel_quantizer"}, {"bias_quantizer", false}}));
}

NVDLAC_IMPL void on_quantised_depthwise_conv(const conversion& c) {
  on_depthwise_conv(quantised(c, {{"depthwise_quantizer"}, {"bias_quantizer", false}}));
}

NVDLAC_IMPL void on_quantised_separable_conv(const conversion& c) {
  on_separable_conv(quantised(
      c, {{"depthwise_quantizer"}, {"pointwise_quantizer"}, {"bias_quantizer", false}}));
}

NVDLAC_IMPL void on_quantised_normalisation(const conversion& c) {
  const quantised_weight gamma{"gamma_quantizer"}, beta{"beta_quantizer", false},
      mean{"mean_quantizer", false}, variance{"variance_quantizer"};
  // A key that is missing, other than one that is null, is a power of 2.
  for (const auto& w : {gamma, beta, mean, variance})
    if (!c.l.config.contains(w.key))
      throw error(problem{.reason = text("it has no ", w.key, ", which is quantized_po2 then"),
                          .remedy = "save the model with a quantized_bits or None there"});
  const bool scale = c.l.flag("scale", true), center = c.l.flag("center", true);
  for (const auto& w : {gamma, beta}) (void)c.l.find(w.key);
  on_batch_normalisation(scale && center ? quantised(c, {gamma, beta, mean, variance})
                         : scale         ? quantised(c, {gamma, mean, variance})
                         : center        ? quantised(c, {beta, mean, variance})
                                         : quantised(c, {mean, variance}));
}

NVDLAC_IMPL const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = {
      {"Activation", {on_activation}}, {"ActivityRegularization", {on_nothing}}, {"Add", {on_add}},
      {"AlphaDropout", {on_nothing}}, {"Average", {on_average}},
      {"AveragePooling1D", {on_average_pool_1d}}, {"AveragePooling2D", {on_average_pool_2d}},
      {"BatchNormalization", {on_batch_normalisation}}, {"Bidirectional", {on_bidirectional}},
      {"Concatenate", {on_concatenate}},
      {"Conv1D", {on_conv_1d}}, {"Conv2D", {on_conv_2d}}, {"Conv2DTranspose", {on_conv_transpose}},
      {"Cropping1D", {on_cropping_1d}}, {"Cropping2D", {on_cropping_2d}}, {"Dense", {on_dense}},
      {"DepthwiseConv2D", {on_depthwise_conv}}, {"Dropout", {on_nothing}}, {"ELU", {on_elu}},
      {"Flatten", {on_flatten}}, {"GRU", {on_gru}}, {"GaussianDropout", {on_nothing}},
      {"GaussianNoise", {on_nothing}}, {"GlobalAveragePooling1D", {on_global_average_1d}},
      {"GlobalAveragePooling2D", {on_global_average_2d}},
      {"GlobalMaxPooling1D", {on_global_max_1d}}, {"GlobalMaxPooling2D", {on_global_max_2d}},
      {"GroupNormalization", {on_group_normalisation}}, {"LSTM", {on_lstm}},
      {"LayerNormalization", {on_layer_normalisation}}, {"LeakyReLU", {on_leaky_relu}},
      {"MaxPooling1D", {on_max_pool_1d}},
      {"MaxPooling2D", {on_max_pool_2d}}, {"Maximum", {on_maximum}}, {"Merge", {on_merge}},
      {"Minimum", {on_minimum}}, {"Multiply", {on_multiply}}, {"Normalization", {on_normalisation}},
      {"PReLU", {on_prelu}}, {"Permute", {on_permute}},
      {"QActivation", {on_activation}}, {"QAveragePooling2D", {on_quantised_average_2d}},
      {"QBatchNormalization", {on_quantised_normalisation}}, {"QConv1D", {on_quantised_conv_1d}},
      {"QConv2D", {on_quantised_conv_2d}}, {"QConv2DTranspose", {on_quantised_conv_transpose}},
      {"QDense", {on_quantised_dense}}, {"QDepthwiseConv2D", {on_quantised_depthwise_conv}},
      {"QGlobalAveragePooling2D", {on_quantised_global_average_2d}},
      {"QSeparableConv2D", {on_quantised_separable_conv}}, {"ReLU", {on_relu}},
      {"Rescaling", {on_rescaling}}, {"Reshape", {on_reshape}}, {"Resizing", {on_resizing}},
      {"SeparableConv2D", {on_separable_conv}}, {"SimpleRNN", {on_simple_rnn}},
      {"Softmax", {on_softmax}},
      {"SpatialDropout1D", {on_nothing}}, {"SpatialDropout2D", {on_nothing}},
      {"Subtract", {on_subtract}}, {"TFOpLambda", {on_function}},
      {"ThresholdedReLU", {on_thresholded_relu}}, {"TimeDistributed", {on_time_distributed}},
      {"TrueDivide", {on_divide}},
      {"UnitNormalization", {on_unit_normalisation}},
      {"UpSampling1D", {on_upsampling_1d}}, {"UpSampling2D", {on_upsampling_2d}},
      {"ZeroPadding1D", {on_zero_padding_1d}}, {"ZeroPadding2D", {on_zero_padding_2d}},
  };
  return all;
}

}  // namespace nvdlac::import::keras_format
