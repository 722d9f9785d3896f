// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transposes the maps of all tensors of a network.
#include <optional>

#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quantised {

// A network whose every tensor has the numbers of that of `g` with lines and columns exchanged, for
// inputs that are so. Nothing, where that is not possible: sums of fp16 round in the order of lines
// and columns, where a window has several of both or reads an image; PDP divides by columns first;
// and layers of the host read maps as they are.
std::optional<graph> transposed(const graph& g);

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/transposed.ipp>
#endif
