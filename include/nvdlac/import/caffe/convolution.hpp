// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of products with trained weights.
#include <span>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>

namespace nvdlac::import::caffe_format {

blob on_convolution(context& c, const layer& l, std::span<const blob> in);
// A layer of some extensions, with one kernel for each channel, whether the file says so or not.
blob on_depthwise_convolution(context& c, const layer& l, std::span<const blob> in);
blob on_deconvolution(context& c, const layer& l, std::span<const blob> in);
blob on_inner_product(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/convolution.ipp>
#endif
