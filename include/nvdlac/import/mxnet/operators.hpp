// SPDX-License-Identifier: Apache-2.0
#pragma once
// MXNet's operators in ONNX's terms.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/import/mxnet/conversion.hpp>

namespace nvdlac::import::mxnet_format {

using results = std::vector<operand>;

std::size_t spatial(const operand& x);
sliding_window window_of(const conversion& c, std::size_t axes);
// Weights with as many kernels as the node tells.
const operand& weights_of(const conversion& c, std::size_t axis, const char* count,
                          std::int64_t parts = 1);
results on_convolution(const conversion& c);
results on_deconvolution(const conversion& c);
results on_fully_connected(const conversion& c);
results on_batch_norm(const conversion& c);

results function(const conversion& c, const std::string& type,
                 const std::vector<translation::attribute>& attributes = {});
template <fixed_string Type>
results element_wise(const conversion& c) {
  return function(c, std::string(Type.view()));
}
results on_activation(const conversion& c);
results on_leaky_relu(const conversion& c);
results on_clip(const conversion& c);

results on_pooling(const conversion& c);
results on_lrn(const conversion& c);

// Converts a loss layer to what it gives when it is used: labels do not count.
results soft_maximum(const conversion& c, std::int64_t axis);
results on_softmax_output(const conversion& c);
results on_softmax_activation(const conversion& c);
results on_softmax(const conversion& c);
inline results on_unchanged(const conversion& c) { return {c.only()}; }
results on_dropout(const conversion& c);
results on_regression_output(const conversion& c);
results on_make_loss(const conversion& c);

template <fixed_string Type>
results binary(const conversion& c) {
  c.require_inputs(2, 2);
  return {c.to().binary(c.name(), std::string(Type.view()), c.in(0), c.in(1))};
}
template <fixed_string Type, bool Reversed = false>
results with_scalar(const conversion& c) {
  c.require_inputs(1, 1);
  c.n.ignore({"is_int"});
  const auto number = c.to().number(c.n.number("scalar", 1.0F));
  const std::string type(Type.view());
  return {Reversed ? c.to().node(type, c.name(), {number, c.in(0)}, c.in(0).rank)
                   : c.to().node(type, c.name(), {c.in(0), number}, c.in(0).rank)};
}
results on_sum_of_all(const conversion& c);
results on_concat(const conversion& c);

results on_flatten(const conversion& c);
results on_reshape(const conversion& c);
results on_transpose(const conversion& c);
results on_swap_axis(const conversion& c);
results on_expand_dims(const conversion& c);
results on_slice_axis(const conversion& c);
results on_slice_channel(const conversion& c);
results on_pad(const conversion& c);
results on_up_sampling(const conversion& c);
results on_mean(const conversion& c);
results on_cast(const conversion& c);

struct operator_entry {
  results (*convert)(const conversion&);
};

const std::map<std::string_view, operator_entry>& operators();

}  // namespace nvdlac::import::mxnet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/mxnet/operators.ipp>
#endif
