// SPDX-License-Identifier: Apache-2.0
#pragma once
// Masks of attention: what a softmax shall not see.
#include <vector>

#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

// The most that values of a mask are below its largest, as a softmax reads them: e^-100 is nothing
// beside 1.
inline constexpr double depth_of_masks = 100;

// A factor from which on what it multiplies is a mask of 0 and 1, if it is an input that is added
// to what a softmax reads.
inline constexpr double factor_of_masks = 1000;

// Raises to that what constants add to tensors that, moved, joined, added to and scaled by positive
// factors, nothing but softmaxes reads: minus infinity, or the least number of a type. So it does
// with what is chosen there by a condition, and with factors of tensors between 0 and 1, such as
// (1 - mask) * -10000. Nodes that no output needs are not looked at.
void raise_masks(net::graph& g, const std::vector<bool>& needed);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/masks.ipp>
#endif
