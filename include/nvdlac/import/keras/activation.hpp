// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions that layers apply to their results, by name, and the layers that are such ones.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/keras/conversion.hpp>

namespace nvdlac::import::keras_format {

inline computed applied(const conversion& c, computed x, const char* type,
                        const std::vector<attribute>& attributes = {}) {
  x.value = c.node(type, c.name(), {x.value}, attributes);
  return x;
}
inline computed along_last(const conversion& c, computed x, const char* type) {
  const bool second = x.shape.size() == 4 && x.order == order::channels_second;
  return applied(c, std::move(x), type, {{"axis", std::int64_t{second ? 1 : -1}}});
}
// x times a function of it.
inline computed gated(const conversion& c, computed x, const char* type) {
  const auto gate = c.node(type, c.name() + "/gate", {x.value});
  x.value = c.node("Mul", c.name(), {x.value, gate});
  return x;
}
inline computed clipped(const conversion& c, computed x, float low, float high) {
  x.value = c.clipped(x.value, low, high);
  return x;
}

using activation_function = computed (*)(const conversion&, computed);
inline const std::map<std::string_view, activation_function>& activations() {
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

// The name of the function in a layer's configuration.
inline std::string activation_of(const conversion& c) {
  const auto* a = c.l.find("activation");
  if (a == nullptr) return "linear";
  std::string name;
  if (a->is_string()) name = a->get<std::string>();
  else if (const auto from = word(*a, "module"); from.empty() || from.starts_with("keras."))
    name = word(*a, "config", word(*a, "registered_name"));
  if (!activations().contains(name))
    throw error(problem{.reason = "its activation is " + shown(*a) + ", which is not supported",
                        .remedy = "activations of Keras' own are supported, no Python code"});
  return name;
}
inline computed activated(const conversion& c, computed x, const std::string& activation) {
  return activations().at(activation)(c, std::move(x));
}

inline void on_activation(const conversion& c) {
  c.require(0);
  c.give(activated(c, c.input(0), activation_of(c)));
}
inline void on_elu(const conversion& c) {
  c.require(0);
  c.give(applied(c, c.input(0), "Elu", {{"alpha", c.l.number("alpha", 1)}}));
}
inline void on_leaky_relu(const conversion& c) {
  c.require(0);
  const auto slope = c.l.number("negative_slope"), alpha = c.l.number("alpha");
  c.give(applied(c, c.input(0), "LeakyRelu",
                 {{"alpha", slope ? *slope : alpha ? *alpha : 0.3F}}));
}
inline void on_thresholded_relu(const conversion& c) {
  c.require(0);
  c.give(applied(c, c.input(0), "ThresholdedRelu", {{"alpha", c.l.number("theta", 1)}}));
}
// Linear between a threshold and the largest value, with a slope below the threshold.
inline void on_relu(const conversion& c) {
  c.require(0);
  const auto slope = c.l.number("negative_slope", 0), threshold = c.l.number("threshold", 0);
  const auto most = c.l.number("max_value");
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
// Along one axis, or several that are the last ones.
inline void on_softmax(const conversion& c) {
  c.require(0);
  const auto* given = c.l.find("axis");
  const auto axes = given != nullptr && given->is_array() ? *c.l.integers("axis")
                                                          : dims{c.l.integer("axis", -1)};
  if (axes.size() != 1)
    throw error(problem{.reason = "its axis is " + onnx_format::to_text(axes),
                        .remedy = "a single axis is supported"});
  auto x = c.input(0);
  const auto axis = c.axis_in(x.order, x.shape.size(), axes[0]);
  c.give(applied(c, std::move(x), "Softmax", {{"axis", axis}}));
}
// One slope for each channel, or for each element.
inline void on_prelu(const conversion& c) {
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
