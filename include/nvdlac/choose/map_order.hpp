// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order in which convolutions give vectors that become maps.
#include <optional>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::choose {

// The network whose convolutions give vectors that only become maps in the order in which these lie
// in memory: their kernels change places, and zeros are given for the lanes that are no channels.
// They are called anew, NAME/rows, as their tensors are others. Nothing where there are none, or
// where the kernels that are added cost more than moving the elements.
std::optional<quantised::graph> in_map_order(const hw::spec& hw, const quantised::graph& g);

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/map_order.ipp>
#endif
