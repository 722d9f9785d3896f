// SPDX-License-Identifier: Apache-2.0
#pragma once
// SVDF, a dense layer over the last steps of a sequence in few products: each of its filters makes
// one number of the features of a step, and weighs the numbers of the last steps.
#include <string_view>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/tflite/layers.hpp>

namespace nvdlac::import::tflite_format {

inline constexpr std::string_view svdf_name = "SVDF";

// Features [1][features], weights [filters][features] and [filters][steps], a bias for each unit,
// and a state [1][filters * steps], the oldest step first. `rank` filters make a unit.
void on_svdf(const conversion& c);

// The layers that it becomes, where its inputs are ONNX's: the state is one of the network.
std::vector<onnx_format::value> svdf_layers(const onnx_format::context& c);

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/svdf.ipp>
#endif
