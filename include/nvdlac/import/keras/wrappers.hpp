// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that apply other layers: in both directions of a sequence, or to each of its steps.
#include <nvdlac/import/keras/activation.hpp>

namespace nvdlac::import::keras_format {

// The results of a recurrent layer forwards and of another one backwards, merged or both. That of
// all steps backwards is turned to the order of the sequence.
void on_bidirectional(const conversion& c);

// A layer without a state, applied to each step of a sequence [1][steps][..] by itself, with the
// same weights: to all at once where that is the same, else to one after the other.
void on_time_distributed(const conversion& c);

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/wrappers.ipp>
#endif
