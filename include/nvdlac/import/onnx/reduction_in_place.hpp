// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reductions of a cube where it stands, without a move that brings together what becomes one.
#include <optional>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

enum class combining;
struct reduced_axes;

// Reduces all channels of a cube whose places stay: to a cube of a single channel, or for extrema
// to one in which a few lines stand beside each other as channels. Nothing otherwise, and for
// products.
std::optional<computed> reduced_over_channels(const context& c, combining how, const computed& x,
                                              const reduced_axes& axes);

// The lines or the columns of a picture that stands as in the file are reduced by windows over all
// of them. Nothing otherwise, for products, and for means of all places.
std::optional<computed> reduced_along_side(const context& c, combining how, const computed& x,
                                           const reduced_axes& axes);

// Channels of which several become one, with all their lines and columns: over these and over the
// channels, one after the other. Nothing otherwise, and for products.
std::optional<computed> reduced_over_places(const context& c, combining how, const computed& x,
                                            const reduced_axes& axes);

// Reduces blocks of channels that stand one behind the other, such as those of a concat along the
// axis, by operators of two tensors. Nothing if the elements that become one do not stand so.
std::optional<computed> reduced_over_blocks(const context& c, combining how, const computed& x,
                                            const reduced_axes& axes);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/reduction_in_place.ipp>
#endif
