// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that no engine of NVDLA computes, in all forms or in some.
#include <span>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>

namespace nvdlac::import::caffe_format {

blob on_softmax(context& c, const layer& l, std::span<const blob> in);
blob on_arg_max(context& c, const layer& l, std::span<const blob> in);
// Across channels, as a row of CDP does, or within a channel.
blob on_lrn(context& c, const layer& l, std::span<const blob> in);
// SSD's Normalize: divides by the norm and multiplies by trained factors.
blob on_normalize(context& c, const layer& l, std::span<const blob> in);
blob on_mvn(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/host.ipp>
#endif
