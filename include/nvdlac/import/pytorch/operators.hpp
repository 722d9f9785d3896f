// SPDX-License-Identifier: Apache-2.0
#pragma once
// ATen's operators in ONNX's terms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/import/pytorch/call.hpp>

namespace nvdlac::import::pytorch_format {

std::size_t spatial(const operand& x);

// Functions of each element, with the attributes that ONNX has for them.
results mapped(const call& c, const std::string& type,
               const std::vector<translation::attribute>& attributes = {});
template <fixed_string Type>
results function(const call& c) {
  return mapped(c, std::string(Type.view()));
}
results unchanged(const call& c);
results on_copy(const call& c);
results on_conversion(const call& c);
results on_dropout(const call& c);
results on_clip(const call& c, float low, float high);
inline results on_relu6(const call& c) { return on_clip(c, 0, 6); }
results on_hardtanh(const call& c);
results on_clamp(const call& c);
results on_leaky_relu(const call& c);
results on_elu(const call& c);
results on_hardsigmoid(const call& c);
results on_gelu(const call& c);
results on_silu(const call& c);
results on_softplus(const call& c);
results on_rsqrt(const call& c);
results on_prelu(const call& c);
results on_square(const call& c);
// The first half of the channels, each times a sigmoid of the second half's.
results on_glu(const call& c);
results on_least(const call& c);  // clamp_min
results on_most(const call& c);   // clamp_max
results on_power(const call& c);

results along_axis(const call& c, const std::string& type);
inline results on_softmax(const call& c) { return along_axis(c, "Softmax"); }
inline results on_log_softmax(const call& c) { return along_axis(c, "LogSoftmax"); }

// The second operand of arithmetic: a tensor or a number, times alpha.
operand other_of(const call& c);
template <fixed_string Type>
results binary(const call& c) {
  const auto b = other_of(c);
  return {c.to().binary(c.layer, std::string(Type.view()), c.tensor("self"), b)};
}
results on_divide(const call& c);
results on_reversed_difference(const call& c);  // rsub

// A number or a tensor, in any place of the arguments.
operand number_or_tensor(const call& c, const char* name);
// Truth values of each element: comparisons, and functions of two truth values.
template <fixed_string Type>
results comparison(const call& c) {
  return {c.to().binary(c.layer, std::string(Type.view()), c.tensor("self"),
                        number_or_tensor(c, "other"))};
}
results on_unequal(const call& c);
results on_where(const call& c);
results on_masked_fill(const call& c);

sliding_window window_of(const call& c, std::size_t axes);
results on_convolution(const call& c);
results on_conv_transpose(const call& c);

// Strides of poolings are those of the kernel if they are not given.
sliding_window pooling_window(const call& c, std::size_t axes);
results on_max_pool(const call& c);
results on_average_pool(const call& c);
// As many windows as asked, of one size where that divides the input's.
results on_adaptive_pool(const call& c, bool maximum);
inline results on_adaptive_average(const call& c) { return on_adaptive_pool(c, false); }
inline results on_adaptive_maximum(const call& c) { return on_adaptive_pool(c, true); }

template <fixed_string Type>
results reduction(const call& c) {
  const auto x = c.tensor("self");
  auto axes = c.integers("dim").value_or(dims{});
  if (axes.empty()) axes = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
  for (auto& a : axes) a = onnx_format::checked_axis(a, x.rank);
  const bool keep = c.flag("keepdim");
  c.require_real_type();
  const auto rank = keep ? x.rank : x.rank - std::min(axes.size(), x.rank);
  const std::string type(Type.view());
  std::vector<operand> inputs{x};
  std::vector<translation::attribute> how{{"keepdims", std::int64_t{keep}}};
  if (type == "ReduceSum") inputs.push_back(c.to().integers(axes));
  else how.push_back({"axes", axes});
  return {c.to().node(type, c.layer, inputs, rank, how)};
}

// max and min: of two tensors, along an axis, or of all.
results on_maximum(const call& c);
results on_minimum(const call& c);
// A norm: of order 1 or 2.
results on_vector_norm(const call& c);

results on_batch_norm(const call& c);

results on_linear(const call& c);
results on_add_product(const call& c);
results on_product(const call& c);
results on_einsum(const call& c);

// A size that the graph computes with.
results on_size(const call& c);

struct operator_entry {
  results (*convert)(const call&);
};

// The operators of torch.ops.aten that are understood, all overloads of each, and those in place.
const std::map<std::string_view, operator_entry>& operators();

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/operators.ipp>
#endif
