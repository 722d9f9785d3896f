// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that move, choose or repeat elements, and those that tell of shapes.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/import/tensorflow/convolution.hpp>
#include <nvdlac/import/translation/selection.hpp>

namespace nvdlac::import::tensorflow_format {

void concat(const conversion& c, std::size_t first, std::size_t axis_at);
inline void on_concat(const conversion& c) { concat(c, 1, 0); }
inline void on_concat_v2(const conversion& c) { concat(c, 0, c.inputs() - 1); }

void on_reshape(const conversion& c);
// A dimension more or less leaves the blocks of the others.
void on_squeeze(const conversion& c);
void on_expand_dims(const conversion& c);
void on_transpose(const conversion& c);

// The blocks of each axis behind the first, as SpaceToBatchND and BatchToSpaceND tell them, and how
// many elements stand before and behind.
blocks blocks_of(const conversion& c, const char* what);
void on_space_to_batch(const conversion& c);
void on_batch_to_space(const conversion& c);

void on_pad(const conversion& c);
void on_mirror_pad(const conversion& c);

void on_strided_slice(const conversion& c);
void on_slice(const conversion& c);
void on_split(const conversion& c);
void on_split_v(const conversion& c);

void resize(const conversion& c, bool linear);
inline void on_resize_bilinear(const conversion& c) { resize(c, true); }
inline void on_resize_nearest(const conversion& c) { resize(c, false); }

void by_blocks(const conversion& c, bool to_space);

void reduce(const conversion& c, const char* type);

void arg_max(const conversion& c, bool of_opposites);

void on_gather(const conversion& c);
void on_unpack(const conversion& c);
void on_pack(const conversion& c);
using translation::on_broadcast_to, translation::on_reverse, translation::on_tile;

void tell(const conversion& c, std::int64_t type);
void on_shape(const conversion& c);
void on_size(const conversion& c);
void on_rank(const conversion& c);
void on_fill(const conversion& c);
void filled_like(const conversion& c, std::int64_t v);
inline void on_zeros_like(const conversion& c) { filled_like(c, 0); }
inline void on_ones_like(const conversion& c) { filled_like(c, 1); }
void on_range(const conversion& c);

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/layout.ipp>
#endif
