// SPDX-License-Identifier: Apache-2.0
#pragma once
// The normalisation over neighbouring channels of torch.nn.LocalResponseNorm, which exporters write
// as an average over depth and what is computed of it.
#include <optional>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// An average over windows of channels, as an AveragePool [n, 1, 1] of [1, 1, channels, height,
// width] is one, with zeros around the channels perhaps: a convolution whose kernels are bands.
// Nothing where the node is another pooling.
std::optional<computed> averaged_channels(const context& c);

// x / (k + alpha * average of x^2)^beta as one LRN; nothing where the node, a division, is another.
std::optional<computed> local_response(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/local_response.ipp>
#endif
