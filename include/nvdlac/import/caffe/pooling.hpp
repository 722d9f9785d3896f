// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that make one number of several.
#include <span>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>

namespace nvdlac::import::caffe_format {

blob on_pooling(context& c, const layer& l, std::span<const blob> in);
// The picture in 1, 2 x 2, 4 x 4, .. parts, one pooling for each; all results in one row.
blob on_spatial_pyramid(context& c, const layer& l, std::span<const blob> in);
// Over the axes from one on: a sum, which is a convolution with equal weights, or a mean.
blob on_reduction(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/pooling.ipp>
#endif
