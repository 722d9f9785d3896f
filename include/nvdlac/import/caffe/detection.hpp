// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers of single-shot detectors (SSD), of extensions of Caffe.
#include <span>

#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>

namespace nvdlac::import::caffe_format {

// The boxes around each place of its first input, in a picture that is the second: a constant.
blob on_prior_box(context& c, const layer& l, std::span<const blob> in);
blob on_detection_output(context& c, const layer& l, std::span<const blob> in);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/detection.ipp>
#endif
