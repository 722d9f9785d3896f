// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers of single-shot detectors (SSD), of extensions of Caffe.
#include <span>

#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/layout.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

class detection_layers : public host_layers {
 public:
  using host_layers::host_layers;

  // The boxes around each place of its first input, in a picture that is the second: a constant.
  blob prior_box(const layer& l, std::span<const blob> in);

  blob detection_output(const layer& l, std::span<const blob> in);

 private:
  // The node before those that only give its elements another shape.
  assembly::id before_reshapes(assembly::id n) const;
};

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/detection.ipp>
#endif
