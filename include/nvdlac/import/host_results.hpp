// SPDX-License-Identifier: Apache-2.0
#pragma once
// Movements of what the host computes that cost nothing: it writes its result where it is read.
#include <vector>

#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// Products of matrices whose columns all become channels, and nothing else of them is read, are
// given side by side. The movements are left without readers. Nodes that no output needs are not
// looked at.
void join_products(net::graph& g, const std::vector<bool>& needed);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/host_results.ipp>
#endif
