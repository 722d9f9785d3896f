// SPDX-License-Identifier: Apache-2.0
#pragma once
// The feeds of an integer network for real inputs.
#include <optional>
#include <vector>

#include <nvdlac/net/input.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// The feeds of an integer network for the real inputs of a sample, which were pixels where it reads
// those.
std::vector<quantised::feed> feeds_of(const quantised::graph& g,
                                      const std::vector<net::float_tensor>& sample,
                                      const std::optional<net::preprocessing>& how);

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/feeds.ipp>
#endif
