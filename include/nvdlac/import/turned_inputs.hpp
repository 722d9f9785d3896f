// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs of which the network selects elements while it turns them, such as the colours of
// [height, width, colours] the other way round.
#include <vector>

#include <nvdlac/import/packing.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// An input whose dimensions become channels, lines and columns of others, while elements are left
// out, repeated or padded, becomes the cube in which the dimensions are that already. Its `in_file`
// tells the way from the file's order, and what selects reads that cube; what has nothing left to
// do is without readers then. Nodes that no output needs are not looked at.
std::vector<packed_movement> turn_inputs(net::graph& g, const std::vector<bool>& needed);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/turned_inputs.ipp>
#endif
