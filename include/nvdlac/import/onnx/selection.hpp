// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that select by values, or at places that are computed: the host's.
#include <cstdint>
#include <optional>
#include <vector>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// As many rows as can be selected; those behind the last that is are -1.
std::vector<value> on_non_max_suppression(const context& c);

std::vector<value> on_top_k(const context& c);

// Gather at constant places moves elements; so do GatherND and ScatterND.
std::vector<value> on_gather(const context& c);
std::vector<value> on_gather_nd(const context& c);
std::vector<value> on_gather_elements(const context& c);
std::vector<value> on_scatter_nd(const context& c);

// The mean of `values` by the probabilities that a node gives, if that is a softmax of the host
// over this axis alone; its cube has 1 there.
std::optional<assembly::id> expectation_of(const context& c, assembly::id softmax,
                                           const std::vector<float>& values, host::axes axis);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/selection.ipp>
#endif
