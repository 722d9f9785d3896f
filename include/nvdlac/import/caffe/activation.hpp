// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that compute a function of each element.
#include <span>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

blob on_relu(context& c, const layer& l, std::span<const blob> in);
inline blob on_relu6(context& c, const layer& l, std::span<const blob> in) {
  return c.keep(l, net::clip{0.0F, 6.0F}, in);
}
blob on_clip(context& c, const layer& l, std::span<const blob> in);
inline blob on_absval(context& c, const layer& l, std::span<const blob> in) {
  return c.keep(l, net::prelu{{-1.0F}}, in);
}
blob on_prelu(context& c, const layer& l, std::span<const blob> in);

// A function that has no parameters.
template <net::function Function>
blob on_function(context& c, const layer& l, std::span<const blob> in) {
  return c.keep(l, net::activation{.function = Function}, in);
}

blob on_elu(context& c, const layer& l, std::span<const blob> in);
blob on_swish(context& c, const layer& l, std::span<const blob> in);
blob on_threshold(context& c, const layer& l, std::span<const blob> in);
// base ^ (scale * x + shift)
blob on_exp(context& c, const layer& l, std::span<const blob> in);
// log(scale * x + shift) to the base
blob on_log(context& c, const layer& l, std::span<const blob> in);
// (scale * x + shift) ^ power
blob on_power(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/activation.ipp>
#endif
