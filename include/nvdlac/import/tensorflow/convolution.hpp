// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators with windows, products of matrices, and normalisation.
#include <cstddef>
#include <cstdint>

#include <nvdlac/import/tensorflow/conversion.hpp>
#include <nvdlac/import/tensorflow/tensors.hpp>

namespace nvdlac::import::tensorflow_format {

using translation::require_picture;

// A convolution between SpaceToBatchND and BatchToSpaceND is one whose taps are as far from each
// other as the blocks are large.
void take_blocks(const conversion& c, translation::window& w, blocks& b);

// Weights [kernels][channels of a group][h][w].
void convolve(const conversion& c, const array& weights, std::int64_t groups);

array weights_of(const conversion& c, std::size_t i);

// Weights [h][w][channels of a group][kernels].
void on_conv(const conversion& c);

// Weights [h][w][channels][multiplier].
void on_depthwise_conv(const conversion& c);

// The shape of the result, weights [h][w][kernels][channels], the tensor.
void on_conv_transpose(const conversion& c);

void pool(const conversion& c, const char* type);

void on_mat_mul(const conversion& c);
void on_batch_mat_mul(const conversion& c);

void on_bias_add(const conversion& c);

void on_batch_norm(const conversion& c);

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/convolution.ipp>
#endif
