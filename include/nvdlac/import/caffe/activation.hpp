// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that compute a function of each element.
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include <nvdlac/import/caffe/elementwise.hpp>

namespace nvdlac::import::caffe_format {

class activation_layers : public elementwise_layers {
 public:
  using elementwise_layers::elementwise_layers;

  blob relu(const layer& l, std::span<const blob> in) {
    const float slope = l.fields.child("relu_param").number("negative_slope", 0);
    if (slope != 0.0F) return {add(l, net::prelu{{slope}}, in), in[0].shape};
    return {add(l, net::relu{}, in), in[0].shape};
  }
  blob relu6(const layer& l, std::span<const blob> in) {
    return {add(l, net::clip{0.0F, 6.0F}, in), in[0].shape};
  }
  blob clip(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("clip_param");
    if (!p.has("min") || !p.has("max")) throw error("it gives no min or no max");
    return {add(l, net::clip{p.number("min", 0), p.number("max", 0)}, in), in[0].shape};
  }
  blob absval(const layer& l, std::span<const blob> in) {
    return {add(l, net::prelu{{-1.0F}}, in), in[0].shape};
  }
  blob prelu(const layer& l, std::span<const blob> in) {
    const bool shared = l.fields.child("prelu_param").flag("channel_shared", false);
    const std::int64_t slopes = shared ? 1 : in[0].shape.at(1);
    net::prelu op;
    load(l, [&] { op.slope = weights::values(weights_.of(l.name, 1)[0], {slopes}, "slopes"); });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob elu(const layer& l, std::span<const blob> in) {
    const float alpha = l.fields.child("elu_param").number("alpha", 1);
    return function(l, {.function = net::function::elu, .alpha = alpha}, in);
  }
  blob sigmoid(const layer& l, std::span<const blob> in) {
    return function(l, {.function = net::function::sigmoid}, in);
  }
  blob tanh(const layer& l, std::span<const blob> in) {
    return function(l, {.function = net::function::tanh}, in);
  }
  blob bnll(const layer& l, std::span<const blob> in) {
    return function(l, {.function = net::function::softplus}, in);
  }
  blob swish(const layer& l, std::span<const blob> in) {
    const float beta = l.fields.child("swish_param").number("beta", 1);
    return function(l, {.function = net::function::swish, .alpha = beta}, in);
  }
  blob threshold(const layer& l, std::span<const blob> in) {
    const float above = l.fields.child("threshold_param").number("threshold", 0);
    return function(l, {.function = net::function::threshold, .alpha = above}, in);
  }
  // base ^ (scale * x + shift)
  blob exp(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("exp_param");
    const float log = log_of_base(p);
    return function(l, {.function = net::function::exponential, .alpha = log * p.number("scale", 1),
                        .beta = log * p.number("shift", 0)}, in);
  }
  // log(scale * x + shift) to the base
  blob log(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("log_param");
    const float log = log_of_base(p);
    if (log == 0.0F) throw error("its base is 1");
    return function(l, {.function = net::function::logarithm, .alpha = p.number("scale", 1),
                        .beta = p.number("shift", 0), .gamma = 1 / log}, in);
  }
  // (scale * x + shift) ^ power
  blob power(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("power_param");
    const float power = p.number("power", 1), scale = p.number("scale", 1),
                shift = p.number("shift", 0);
    net::scale line{.factor = {scale}};
    if (shift != 0.0F) line.bias = {shift};
    if (power == 0.0F) line = {.factor = {0.0F}, .bias = {1.0F}};
    if (power == 0.0F || power == 1.0F) return {add(l, std::move(line), in), in[0].shape};
    if (power != 2.0F)
      return function(l, {.function = net::function::power, .alpha = scale, .beta = shift,
                          .gamma = power}, in);
    auto x = in[0].node;  // a square needs no table
    if (scale != 1.0F || shift != 0.0F)
      x = net_.add(l.name + "/line", std::move(line), {x}, l.line);
    return {net_.add(l.name, net::multiply{}, {x, x}, l.line), in[0].shape};
  }

 private:
  blob function(const layer& l, const net::activation& op, std::span<const blob> in) {
    return {add(l, op, in), in[0].shape};
  }
  static float log_of_base(const proto::view& p) {
    const float base = p.number("base", -1);
    if (base == -1.0F) return 1;
    if (!(base > 0)) throw error(text("its base is ", base));
    return std::log(base);
  }
};

}  // namespace nvdlac::import::caffe_format
