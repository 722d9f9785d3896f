// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that combine blobs element by element, and those that scale and shift.
#include <span>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>

namespace nvdlac::import::caffe_format {

blob on_eltwise(context& c, const layer& l, std::span<const blob> in);

blob on_scale(context& c, const layer& l, std::span<const blob> in);
blob on_bias(context& c, const layer& l, std::span<const blob> in);
// SENet's Axpy: the first input is a factor for each channel of the second; the third is added.
blob on_axpy(context& c, const layer& l, std::span<const blob> in);
blob on_batch_norm(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/elementwise.ipp>
#endif
