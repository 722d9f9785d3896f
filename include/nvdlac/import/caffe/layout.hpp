// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that move elements.
#include <span>
#include <vector>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>

namespace nvdlac::import::caffe_format {

std::vector<blob> on_slice(context& c, const layer& l, std::span<const blob> in);
blob on_crop(context& c, const layer& l, std::span<const blob> in);
blob on_permute(context& c, const layer& l, std::span<const blob> in);
blob on_shuffle_channel(context& c, const layer& l, std::span<const blob> in);
// Without a second input, the places of maxima: every element is repeated.
blob on_upsample(context& c, const layer& l, std::span<const blob> in);
blob on_tile(context& c, const layer& l, std::span<const blob> in);
// Bilinear, the corners of input and output being the same.
blob on_interp(context& c, const layer& l, std::span<const blob> in);
blob on_concat(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/layout.ipp>
#endif
