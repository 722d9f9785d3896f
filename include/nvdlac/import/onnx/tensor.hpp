// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tensors in files of ONNX.
#include <filesystem>

#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

// The values of a TensorProto; `directory` is the model's, for external data.
array to_array(const proto::view& t, const std::filesystem::path& directory);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/tensor.ipp>
#endif
