// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of the host that a network has.
#include <nvdlac/host/registry.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::runtime {

// nvdlac's own layers of the host, and those of the network that have other names: the user's own.
host::registry host_layers_of(const quantised::graph& network);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/host_layers.ipp>
#endif
