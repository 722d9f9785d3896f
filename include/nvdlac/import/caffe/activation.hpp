// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that compute a function of each element.
#include <span>
#include <utility>

#include <nvdlac/import/caffe/elementwise.hpp>

namespace nvdlac::import::caffe_format {

class activation_layers : public elementwise_layers {
 public:
  using elementwise_layers::elementwise_layers;

  blob relu(const layer& l, std::span<const blob> in) {
    if (l.fields.child("relu_param").number("negative_slope", 0) != 0.0F)
      throw error(problem{.reason = "negative_slope makes it a leaky ReLU, which is not supported",
                          .remedy = "ReLU with negative_slope 0 is"});
    return {add(l, net::relu{}, in), in[0].shape};
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
