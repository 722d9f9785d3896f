// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/activation.hpp>
#include <nvdlac/import/keras/description.hpp>
#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/keras/quantiser.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL std::int32_t tensors::add(std::string name) {
  translation::tensor t;
  t.name = std::move(name);
  t.has_shape = false;
  all_.push_back(std::move(t));
  return static_cast<std::int32_t>(all_.size() - 1);
}

NVDLAC_IMPL conversion::conversion(const layer& of, const origin& file, std::size_t data,
                                   const indices& inputs, const indices& outputs, values& all,
                                   tensors& of_model, std::size_t wanted)
    : translation::conversion(inputs, outputs, all),
      l(of), from(file), result(wanted), data_(data), inputs_(inputs), outputs_(outputs),
      tensors_(of_model) {}

NVDLAC_IMPL void conversion::require(std::size_t n) const {
  require_data(1, 1);
  if (weights() != n)
    throw error(problem{.reason = text("the file has ", weights(), " weights of it instead of ",
                                       n),
                        .remedy = "the file does not fit its configuration"});
}

NVDLAC_IMPL void conversion::require_weight(std::size_t k, const char* what,
                                            const dims& shape) const {
  const auto& found = this->shape(weight(k));
  if (found != shape)
    throw error(text("its ", what, " has the shape ", onnx_format::to_text(found), " instead of ",
                     onnx_format::to_text(shape)));
}

NVDLAC_IMPL conversion conversion::on(computed x) const {
  const auto index = tensors_.add(name());
  all().compute(index, std::move(x));
  indices replaced{index};
  replaced.insert(replaced.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(data_),
                  inputs_.end());
  return {l, from, 1, tensors_.keep(std::move(replaced)), outputs_, all(), tensors_};
}

NVDLAC_IMPL conversion conversion::within(const layer& inner, const std::string& named,
                                          computed x, std::size_t first, std::size_t n) const {
  const auto in = tensors_.add(name()), out = tensors_.add(named);
  all().compute(in, std::move(x));
  const auto begin = inputs_.begin() + static_cast<std::ptrdiff_t>(data_ + first);
  indices reads{in};
  reads.insert(reads.end(), begin, begin + static_cast<std::ptrdiff_t>(n));
  return {inner, from, 1, tensors_.keep(std::move(reads)), tensors_.keep({out}), all(), tensors_};
}

NVDLAC_IMPL conversion conversion::with_weights(std::vector<array> weights) const {
  indices replaced(inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(data_));
  for (auto& a : weights) {
    replaced.push_back(tensors_.add(name()));
    all().fold(replaced.back(), std::move(a));
  }
  return {l, from, data_, tensors_.keep(std::move(replaced)), outputs_, all(), tensors_};
}

NVDLAC_IMPL conversion conversion::on(computed a, computed b) const {
  const auto first = tensors_.add(name()), second = tensors_.add(name());
  all().compute(first, std::move(a));
  all().compute(second, std::move(b));
  return {l, from, 2, tensors_.keep({first, second}), outputs_, all(), tensors_};
}

NVDLAC_IMPL bool conversion::channels_first() const {
  const auto format = l.string("data_format", "channels_last");
  if (format != "channels_last" && format != "channels_first")
    throw error(problem{.reason = "its data_format is " + format,
                        .remedy = "channels_last and channels_first are supported"});
  return format == "channels_first";
}

NVDLAC_IMPL std::string conversion::per_channel(std::vector<float> v, order in, bool first) const {
  const auto rank = shape(0).size();
  const auto n = static_cast<std::int64_t>(v.size());
  array a = array::of_reals({n}, std::move(v));
  if (a.size() == 1) a.shape = {};
  else if (rank == 4 && (in == order::channels_second || first)) a.shape = {1, a.shape[0], 1, 1};
  return all().write(a, name());
}

NVDLAC_IMPL computed in_file_order(const conversion& c, computed y) {
  if (y.shape.size() != 4 || y.order == order::of_file) return y;
  y.value = c.node("Transpose", c.name(), {y.value}, {{"perm", translation::to_channels_last()}});
  y.order = order::of_file;
  return y;
}

NVDLAC_IMPL computed applied(const conversion& c, computed x, const char* type,
                             const std::vector<attribute>& attributes) {
  x.value = c.node(type, c.name(), {x.value}, attributes);
  return x;
}

NVDLAC_IMPL computed along_last(const conversion& c, computed x, const char* type) {
  const bool second = x.shape.size() == 4 && x.order == order::channels_second;
  return applied(c, std::move(x), type, {{"axis", std::int64_t{second ? 1 : -1}}});
}

NVDLAC_IMPL computed gated(const conversion& c, computed x, const char* type) {
  const auto gate = c.node(type, c.name() + "/gate", {x.value});
  x.value = c.node("Mul", c.name(), {x.value, gate});
  return x;
}

NVDLAC_IMPL computed clipped(const conversion& c, computed x, float low, float high) {
  x.value = c.clipped(x.value, low, high);
  return x;
}

NVDLAC_IMPL const std::map<std::string_view, activation_function>& activations() {
  using con = const conversion&;
  static const std::map<std::string_view, activation_function> all = {
      {"elu", [](con c, computed x) { return applied(c, std::move(x), "Elu"); }},
      {"exponential", [](con c, computed x) { return applied(c, std::move(x), "Exp"); }},
      {"gelu", [](con c, computed x) { return applied(c, std::move(x), "Gelu"); }},
      {"hard_sigmoid",
       [](con c, computed x) {
         const float slope = c.from.version >= 3 ? 1.0F / 6 : 0.2F;
         return applied(c, std::move(x), "HardSigmoid", {{"alpha", slope}, {"beta", 0.5F}});
       }},
      {"hard_silu", [](con c, computed x) { return applied(c, std::move(x), "HardSwish"); }},
      {"hard_swish", [](con c, computed x) { return applied(c, std::move(x), "HardSwish"); }},
      {"leaky_relu",
       [](con c, computed x) { return applied(c, std::move(x), "LeakyRelu", {{"alpha", 0.2F}}); }},
      {"linear", [](con, computed x) { return x; }},
      {"log_softmax", [](con c, computed x) { return along_last(c, std::move(x), "LogSoftmax"); }},
      {"mish", [](con c, computed x) { return applied(c, std::move(x), "Mish"); }},
      {"relu", [](con c, computed x) { return applied(c, std::move(x), "Relu"); }},
      {"relu6", [](con c, computed x) { return clipped(c, std::move(x), 0, 6); }},
      {"selu", [](con c, computed x) { return applied(c, std::move(x), "Selu"); }},
      {"sigmoid", [](con c, computed x) { return applied(c, std::move(x), "Sigmoid"); }},
      {"silu", [](con c, computed x) { return gated(c, std::move(x), "Sigmoid"); }},
      {"softmax", [](con c, computed x) { return along_last(c, std::move(x), "Softmax"); }},
      {"softplus", [](con c, computed x) { return applied(c, std::move(x), "Softplus"); }},
      {"softsign", [](con c, computed x) { return applied(c, std::move(x), "Softsign"); }},
      {"swish", [](con c, computed x) { return gated(c, std::move(x), "Sigmoid"); }},
      {"tanh", [](con c, computed x) { return applied(c, std::move(x), "Tanh"); }},
  };
  return all;
}

NVDLAC_IMPL std::string name_of_function(const json& a) {
  if (a.is_string()) return a.get<std::string>();
  const auto from = word(a, "module");
  if (!from.empty() && !from.starts_with("keras.")) return {};
  return word(a, "config", word(a, "registered_name"));
}

NVDLAC_IMPL function activation_of(const conversion& c) {
  const auto* a = c.l.find("activation");
  if (a == nullptr) return {};
  const auto name = name_of_function(*a);
  if (is_of_qkeras(c.l.class_name) && (!activations().contains(name) || name == "hard_sigmoid")) {
    auto grid = quantiser_reader("activation", *a).read();
    if (grid.auto_po2 || grid.factor != 1)
      throw error(problem{.reason = "its activation " + grid.name + " has the alpha " +
                                    (grid.auto_po2 ? "'auto_po2'" : text(grid.factor)),
                          .remedy = "of functions that are computed alpha is None or 1"});
    return {grid.name, std::move(grid)};
  }
  if (!activations().contains(name))
    throw error(problem{.reason = "its activation is " + shown(*a) + ", which is not supported",
                        .remedy = "activations of Keras' own are supported, no Python code"});
  return {name};
}

NVDLAC_IMPL computed on_grid_of(const conversion& c, const quantiser& q, computed x) {
  if (q.slope != 0 && q.slope != 1)
    x.value = c.node("LeakyRelu", c.name() + "/leaky", {x.value},
                     {{"alpha", static_cast<float>(q.slope)}});
  x = clipped(c, std::move(x), q.low(), q.high());
  const bool fits = q.least >= -128 && q.most <= 127;
  const double step = fits ? q.step() : q.step() * std::max(q.most / 127, q.least / -128);
  const auto scale = c.all().write_number(static_cast<float>(step), c.name());
  const auto zero = c.all().write(array::of_integers({}, {0}), c.name(), 3);  // int8
  x.value = c.node("DequantizeLinear", c.name(),
                   {c.node("QuantizeLinear", c.name(), {x.value, scale, zero}), scale, zero});
  return x;
}

NVDLAC_IMPL computed activated(const conversion& c, computed x, const function& f) {
  return f.grid ? on_grid_of(c, *f.grid, std::move(x))
                : activations().at(f.name)(c, std::move(x));
}

NVDLAC_IMPL void put_on_grid(const conversion& c, array& a, quantiser q,
                             const quantised_weight& w) {
  if (w.trains_alpha && !q.tells_factor) q.auto_po2 = true;
  if (!q.auto_po2) return put_on_grid(a.reals, q);
  const auto refused = [&](const char* why, const char* remedy) {
    return error(problem{.reason = text("its ", w.key, ' ', q.name, " has alpha='auto_po2'", why),
                         .remedy = remedy});
  };
  if (q.least == 0) throw refused(" and keep_negative=False", "set one of them to its default");
  if (a.shape.size() < 2)
    throw refused(", whose scales in a list of numbers depend on the version of QKeras",
                  "train with alpha=1");
  if (c.channels_first())
    throw refused(" and its channels first", "save it with channels last, or train with alpha=1");
  const auto kernels = static_cast<std::size_t>(a.shape.back());
  if (a.size() != 0 && !power_of_2_steps(q, kernels).put_on_grid(a.reals))
    throw refused(", and versions of QKeras find different scales for its weights",
                  "save it with a QKeras of 2025 or later, which tells so, or train with alpha=1");
}

NVDLAC_IMPL conversion quantised(const conversion& c, std::initializer_list<quantised_weight> all) {
  std::vector<array> weights;
  for (const auto& w : all) {
    const auto q = quantiser_of(c.l, w.key);
    if (weights.size() == c.weights()) continue;
    weights.push_back(c.reals(c.weight(weights.size()), "weights"));
    if (q) put_on_grid(c, weights.back(), *q, w);
  }
  while (weights.size() < c.weights())
    weights.push_back(c.reals(c.weight(weights.size()), "weights"));
  return c.with_weights(std::move(weights));
}

NVDLAC_IMPL void on_activation(const conversion& c) {
  c.require(0);
  c.give(activated(c, c.input(0), activation_of(c)));
}

NVDLAC_IMPL void on_elu(const conversion& c) {
  c.require(0);
  c.give(applied(c, c.input(0), "Elu", {{"alpha", c.l.number("alpha", 1)}}));
}

NVDLAC_IMPL void on_leaky_relu(const conversion& c) {
  c.require(0);
  const auto slope = c.l.given<float>("negative_slope"), alpha = c.l.given<float>("alpha");
  c.give(applied(c, c.input(0), "LeakyRelu",
                 {{"alpha", slope ? *slope : alpha ? *alpha : 0.3F}}));
}

NVDLAC_IMPL void on_thresholded_relu(const conversion& c) {
  c.require(0);
  c.give(applied(c, c.input(0), "ThresholdedRelu", {{"alpha", c.l.number("theta", 1)}}));
}

NVDLAC_IMPL void on_relu(const conversion& c) {
  c.require(0);
  const auto slope = c.l.number("negative_slope", 0), threshold = c.l.number("threshold", 0);
  const auto most = c.l.given<float>("max_value");
  auto x = c.input(0);
  if (most && *most < threshold) throw error(text("its max_value is ", *most));
  if (slope != 0 && threshold != 0)
    throw error(problem{.reason = "it has both a threshold and a negative_slope",
                        .remedy = "one of them is supported"});
  if (slope == 0 && threshold == 0) {
    if (most) return c.give(clipped(c, std::move(x), 0, *most));
    return c.give(applied(c, std::move(x), "Relu"));
  }
  const auto name = most ? c.name() + "/below" : c.name();
  x.value = slope != 0 ? c.node("LeakyRelu", name, {x.value}, {{"alpha", slope}})
                       : c.node("ThresholdedRelu", name, {x.value}, {{"alpha", threshold}});
  if (most) x = clipped(c, std::move(x), std::numeric_limits<float>::lowest(), *most);
  c.give(std::move(x));
}

NVDLAC_IMPL void on_softmax(const conversion& c) {
  c.require(0);
  const auto axes = c.l.axes();
  if (axes.size() != 1)
    throw error(problem{.reason = "its axis is " + onnx_format::to_text(axes),
                        .remedy = "a single axis is supported"});
  auto x = c.input(0);
  const auto axis = c.axis_in(x.order, x.shape.size(), axes[0]);
  c.give(applied(c, std::move(x), "Softmax", {{"axis", axis}}));
}

NVDLAC_IMPL void on_prelu(const conversion& c) {
  c.require(1);
  (void)c.l.integers("shared_axes");  // the shape of the slopes tells it
  const auto order = c.common_order();
  const auto& x = c.shape(0);
  const auto& slopes = c.shape(1);
  bool fits = slopes.size() + 1 == x.size();
  for (std::size_t i = 0; fits && i < slopes.size(); ++i)
    fits = slopes[i] == 1 || slopes[i] == x[i + 1];
  if (!fits)
    throw error(text("its slopes ", onnx_format::to_text(slopes), " do not fit ",
                     onnx_format::to_text(x)));
  c.give({c.node("PRelu", c.name(),
                 {c.in_order(0, order),
                  x.size() == 4 ? c.aligned(1, order) : c.in_order(1, order)}),
          x, order});
}

}  // namespace nvdlac::import::keras_format
