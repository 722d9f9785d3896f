// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of neural networks in ONNX's terms: those that compute.
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/import/coreml/conversion.hpp>

namespace nvdlac::import::coreml_format {

void set_padding(const conversion& c, sliding_window& w);
results on_convolution(const conversion& c);
results on_inner_product(const conversion& c);
// [.., a, b] times weights [a][b] of its own, or the product of two inputs.
results on_batched_matmul(const conversion& c);

results on_pooling(const conversion& c);

results on_batchnorm(const conversion& c);
results on_lrn(const conversion& c);

results mapped(const conversion& c, const std::string& type,
               const std::vector<attribute>& attributes = {});
template <fixed_string Type>
results function(const conversion& c) {
  return mapped(c, std::string(Type.view()));
}
// Numbers for the channels, or one for all.
operand of_channels(const conversion& c, const proto::view& kind, const char* field);
results on_activation(const conversion& c);
// Scaled and shifted first.
results on_unary(const conversion& c);
results on_gelu(const conversion& c);
results on_clip(const conversion& c);
// Converts min(x, beta), leaky below zero.
results on_clamped_relu(const conversion& c);

// Combines two inputs or more one after the other.
operand together(const conversion& c, const std::string& type, const std::string& last);
template <fixed_string Type>
results elements(const conversion& c) {
  c.require_inputs(2, 1024);
  return {together(c, std::string(Type.view()), c.name())};
}
// One input has the layer's constant as the other.
template <fixed_string Type>
results with_constant(const conversion& c) {
  if (c.inputs() != 1) return elements<Type>(c);
  return {c.to().binary(c.name(), std::string(Type.view()), c.in(0),
                        c.to().number(c.p.number("alpha")))};
}
results on_average(const conversion& c);
// [1], [C], [1, H, W] or [C, H, W]
operand of_pictures(const conversion& c, const char* field, const char* shape);
results on_scale(const conversion& c);
results on_bias(const conversion& c);
results on_softmax(const conversion& c);
results on_softmax_nd(const conversion& c);

operand reduced(translation::layer_writer& to, const std::string& name, const std::string& type,
                const operand& x, const dims& axes, bool keep);
results on_reduce(const conversion& c);
template <fixed_string Type>
results reduce_nd(const conversion& c) {
  const auto& x = c.one();
  auto axes = c.axes("axes");
  if (c.p.flag("reduceAll", false))
    axes = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
  if (axes.empty()) throw error("its axes are missing");
  return {reduced(c.to(), c.name(), std::string(Type.view()), x, axes,
                  c.p.flag("keepDims", false))};
}

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/layers.ipp>
#endif
