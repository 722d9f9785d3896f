// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keras' normalisations by the statistics of what they read.
#include <nvdlac/import/keras/convolution.hpp>

namespace nvdlac::import::keras_format {

// Requires that statistics are of the last axis.
void require_last_axis(const conversion& c);

// Over the channels of each place.
void on_layer_normalisation(const conversion& c);
// Over all places of each group of channels of a picture.
void on_group_normalisation(const conversion& c);
// Channels of each place divided by the root of the sum of their squares.
void on_unit_normalisation(const conversion& c);

}  // namespace nvdlac::import::keras_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/keras/normalisation.ipp>
#endif
