// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moves of whole lines, which strides make without a layer (lower/strided_part.hpp).
#include <cstdint>

#include <nvdlac/net/move.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::pass {

// Every so many lines of a tensor, from `first` on.
net::move every_line(net::shape to, std::int32_t first, std::int32_t step);

// Lines of so many tensors in turn: line y is one of input y % tensors.
net::move lines_in_turn(net::shape to, std::int32_t tensors);

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/line_moves.ipp>
#endif
