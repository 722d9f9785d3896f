// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that compute a function of each element.
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
    load(l, [&] { op.slope = weights::values(weights_.of(l.name, 1)[0], {slopes}, "slope"); });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob power(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("power_param");
    if (p.number("power", 1) != 1.0F)
      throw error(problem{.reason = text("power ", p.number("power", 1), " is not supported"),
                          .remedy = "power 1 with scale and shift is"});
    net::scale op{.factor = {p.number("scale", 1)}};
    if (p.number("shift", 0) != 0.0F) op.bias = {p.number("shift", 0)};
    return {add(l, std::move(op), in), in[0].shape};
  }
};

}  // namespace nvdlac::import::caffe_format
