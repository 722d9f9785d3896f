// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/pytorch/call.hpp>
#include <nvdlac/import/pytorch/normalisation.hpp>

namespace nvdlac::import::pytorch_format {

namespace detail {

NVDLAC_IMPL operand all_alike(const dims& shape, float value) {
  const auto n = static_cast<std::size_t>(onnx_format::count(shape));
  return operand::of(array::of_reals(shape, std::vector(n, value)));
}

// Each of so many groups of channels has its own mean and variance, each channel a factor and an
// offset.
NVDLAC_IMPL results normalised_groups(const call& c, const dims& shape, std::int64_t groups) {
  const auto x = c.tensor("input");
  if (shape.size() < 3 || groups < 1 || shape[1] % groups != 0)
    throw error(text("it makes ", groups, " groups of ", onnx_format::to_text(shape)));
  auto& to = c.to();
  const auto apart = to.reshaped(c.layer + "/groups", x, {shape[0], groups, -1});
  const auto even = to.node("InstanceNormalization", c.layer + "/normalised",
                            {apart, all_alike({groups}, 1), all_alike({groups}, 0)}, 3,
                            {{"epsilon", c.number("eps", 1e-5F)}});
  const auto weight = c.optional_tensor("weight"), bias = c.optional_tensor("bias");
  auto y = to.reshaped(weight || bias ? c.layer + "/channels" : c.layer, even, shape);
  const auto of_channels = [&](const operand& o) {
    return to.along(o.numbers("factors of channels"), shape.size());
  };
  if (weight)
    y = to.node("Mul", bias ? c.layer + "/factors" : c.layer, {y, of_channels(*weight)},
                shape.size());
  if (bias) y = to.node("Add", c.layer, {y, of_channels(*bias)}, shape.size());
  return {y};
}

}  // namespace detail

NVDLAC_IMPL results on_layer_norm(const call& c) {
  c.ignore({"cudnn_enable"});
  const auto x = c.tensor("input");
  const auto over = c.integers("normalized_shape").value_or(dims{});
  if (over.empty() || over.size() > x.rank)
    throw error(text("its normalized_shape is ", onnx_format::to_text(over)));
  if (const auto shape = c.shape("input"); !std::ranges::equal(
          over, std::span(shape).last(std::min(over.size(), shape.size()))))
    throw error(text("its normalized_shape is ", onnx_format::to_text(over), ", its input ",
                     onnx_format::to_text(shape)));
  const auto weight = c.optional_tensor("weight"), bias = c.optional_tensor("bias");
  std::vector<operand> inputs{x, weight ? *weight : detail::all_alike(over, 1)};
  if (bias) inputs.push_back(*bias);
  return {c.to().node("LayerNormalization", c.layer, inputs, x.rank,
                      {{"axis", -static_cast<std::int64_t>(over.size())},
                       {"epsilon", c.number("eps", 1e-5F)}})};
}

NVDLAC_IMPL results on_group_norm(const call& c) {
  c.ignore({"cudnn_enabled"});
  return detail::normalised_groups(c, c.shape("input"), c.integer("num_groups"));
}

NVDLAC_IMPL results on_native_group_norm(const call& c) {
  const auto shape = c.shape("input");
  const auto channels = c.integer("C"), area = c.integer("HxW");
  if (shape.size() < 3 || c.integer("N") != shape[0] || channels != shape[1] ||
      shape[0] * channels * area != onnx_format::count(shape))
    throw error(text("its N, C and HxW are not those of ", onnx_format::to_text(shape)));
  return detail::normalised_groups(c, shape, c.integer("group"));
}

}  // namespace nvdlac::import::pytorch_format
