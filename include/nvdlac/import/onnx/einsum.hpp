// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// A sum of products of two tensors, so far as it is a MatMul between movements: each index is of
// one tensor and the result, of both, or of all three.
std::vector<value> on_einsum(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/einsum.ipp>
#endif
