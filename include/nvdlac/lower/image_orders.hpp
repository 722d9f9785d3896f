// SPDX-License-Identifier: Apache-2.0
#pragma once
// The convolutions of fp16 that read the network's inputs as images.
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::lower {

// For each node the order in which it would add, where the hardware takes fewer cycles by it; that
// of no image for all others.
std::vector<quantised::image_order> image_orders(const hw::spec& hw, const quantised::graph& g);

// Lets each convolution add in the order that is given for its node.
void take_image_orders(quantised::graph& g, const std::vector<quantised::image_order>& orders);

}  // namespace nvdlac::lower

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/lower/image_orders.ipp>
#endif
