// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that leave their elements as they are, in this shape or another.
#include <span>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

inline blob on_nothing(context& c, const layer& l, std::span<const blob> in) {
  return c.keep(l, net::identity{}, in);
}
blob on_flatten(context& c, const layer& l, std::span<const blob> in);
blob on_reshape(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/reshape.ipp>
#endif
