// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operations of ML programs in ONNX's terms.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/import/coreml/moving.hpp>
#include <nvdlac/import/coreml/operation.hpp>

namespace nvdlac::import::coreml_format::program {

sliding_window window_of(const operation& o, const dims& kernel);
operand picture(const operation& o);
results on_conv(const operation& o);
results on_conv_transpose(const operation& o);
results on_linear(const operation& o);
results on_matmul(const operation& o);
template <fixed_string Type>
results pool(const operation& o) {
  auto w = window_of(o, o.pair("kernel_sizes", 1));
  w.ceil = o.flag("ceil_mode");
  const auto x = picture(o);
  const bool counts = Type.view() == "AveragePool" && !o.flag("exclude_padding_from_average");
  return {o.to().pool(o.name(), std::string(Type.view()), x, w, counts)};
}
results on_batch_norm(const operation& o);
results on_instance_norm(const operation& o);
results on_local_response_norm(const operation& o);

results mapped(const operation& o, const std::string& type,
               const std::vector<attribute>& attributes = {});
template <fixed_string Type>
results function(const operation& o) {
  return mapped(o, std::string(Type.view()));
}
template <fixed_string Type>
results binary(const operation& o) {
  return {o.to().binary(o.name(), std::string(Type.view()), o.tensor("x"), o.tensor("y"))};
}
// Where the epsilon is far below all numbers that the network has it is left out.
operand with_epsilon(const operation& o, double otherwise);
results on_log(const operation& o);
results on_inverse(const operation& o);
results on_rsqrt(const operation& o);
results on_square(const operation& o);
results on_relu6(const operation& o);
results on_clip(const operation& o);
results on_leaky_relu(const operation& o);
results on_thresholded_relu(const operation& o);
results on_elu(const operation& o);
results on_prelu(const operation& o);
results on_sigmoid_hard(const operation& o);
results on_linear_activation(const operation& o);
results gated(const operation& o, const operand& inner);
inline results on_silu(const operation& o) { return gated(o, o.tensor()); }
results on_gelu(const operation& o);
results on_softmax(const operation& o);
template <fixed_string Type>
results reduce(const operation& o) {
  const auto x = o.tensor();
  auto axes = o.integers("axes").value_or(
      onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1));
  for (auto& a : axes) a = onnx_format::checked_axis(a, x.rank);
  return {reduced(o.to(), o.name(), std::string(Type.view()), x, axes, o.flag("keep_dims"))};
}

inline results on_unchanged(const operation& o) { return {o.tensor()}; }
results on_cast(const operation& o);
results on_reshape(const operation& o);
results on_transpose(const operation& o);
results on_expand_dims(const operation& o);
results on_squeeze(const operation& o);
results on_concat(const operation& o);
results on_split(const operation& o);
results on_slice_by_index(const operation& o);
// Pads the last dimensions, before and behind each.
results on_pad(const operation& o);
results on_upsample_nearest(const operation& o);
results on_upsample_bilinear(const operation& o);
results on_pixel_shuffle(const operation& o);
inline results on_depth_to_space(const operation& o) {
  return mapped(o, "DepthToSpace", {{"blocksize", o.integer("block_size", 0)},
                                    {"mode", std::string("DCR")}});
}
results on_space_to_depth(const operation& o);

struct operation_entry {
  results (*convert)(const operation&);
};

const std::map<std::string_view, operation_entry>& operations();

}  // namespace nvdlac::import::coreml_format::program

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/operations.ipp>
#endif
