// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that move elements, take parts, or join tensors.
#include <string>

#include <nvdlac/import/tflite/layers.hpp>
#include <nvdlac/import/translation/moving.hpp>
#include <nvdlac/import/translation/selection.hpp>

namespace nvdlac::import::tflite_format {

using translation::single;

void on_concat(const conversion& c);

void give_reshaped(const conversion& c, const dims& shape);
// The new shape from the second input, the options or the output.
void on_reshape(const conversion& c);
void on_squeeze(const conversion& c);
void on_expand_dims(const conversion& c);

void on_transpose(const conversion& c);

void on_pad(const conversion& c);
void on_mirror_pad(const conversion& c);

void on_strided_slice(const conversion& c);
void on_slice(const conversion& c);

void on_split(const conversion& c);
void on_split_v(const conversion& c);

void resize(const conversion& c, bool linear, int align_corners, int half_pixel);
void on_resize_bilinear(const conversion& c);
inline void on_resize_nearest(const conversion& c) { resize(c, false, 0, 1); }

void by_blocks(const conversion& c, bool to_space);

// Operators that make one number of all elements along some axes.
void reduce(const conversion& c, const char* type);

void arg_max(const conversion& c, bool of_opposites);

// Operators that choose or repeat elements, and those that tell of shapes.
void on_gather(const conversion& c);
void on_unpack(const conversion& c);
void on_pack(const conversion& c);

using translation::on_broadcast_to, translation::on_reverse, translation::on_tile;

void on_shape(const conversion& c);
void on_rank(const conversion& c);
void on_fill(const conversion& c);

// Its sparse constant was read as a dense one.
void on_densify(const conversion& c);

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/layout.ipp>
#endif
