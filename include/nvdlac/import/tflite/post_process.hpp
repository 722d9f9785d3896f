// SPDX-License-Identifier: Apache-2.0
#pragma once
// The custom operator that ends TensorFlow's single-shot detectors: layers of the host.
#include <string_view>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/tflite/layers.hpp>

namespace nvdlac::import::tflite_format {

inline constexpr std::string_view post_process_name = "TFLite_Detection_PostProcess";

// Numbers of boxes [1][anchors][4 or more], scores [1][anchors][classes], constant anchors
// [anchors][4] -> boxes [1][rows][4], classes [1][rows], scores [1][rows], count [1].
void on_post_process(const conversion& c);

// The layers that it becomes, where its inputs are ONNX's.
std::vector<onnx_format::value> post_process_layers(const onnx_format::context& c);

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/post_process.ipp>
#endif
