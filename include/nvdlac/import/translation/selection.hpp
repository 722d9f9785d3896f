// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that reduce, choose or repeat elements, and those that tell of shapes. All tensors are
// in the file's order: what changes the number of dimensions has no other.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/import/translation/moving.hpp>

namespace nvdlac::import::translation {

// One number of all elements along some axes.
void give_reduced(const conversion& c, const char* type, const dims& axes, bool keep);

// The place of the largest element along an axis, or of the largest opposite.
void give_place_of_largest(const conversion& c, std::int64_t axis, bool of_opposites);

// Output i is a movement of input 0, which a node of ONNX does, too.
void give_moved(const conversion& c, const onnx_format::movement& m, const char* type,
                const array& how, const std::vector<attribute>& attributes = {}, std::size_t i = 0);
array list_of(const dims& d);

void give_gathered(const conversion& c, std::int64_t axis, const array& which);
void give_unpacked(const conversion& c, std::int64_t axis);
// All inputs along a new axis.
void give_packed(const conversion& c, std::int64_t axis);

void give_tiled(const conversion& c, const dims& repeats);
void give_broadcast(const conversion& c, const dims& shape);
void give_reversed(const conversion& c, const dims& axes);

// Operators of TensorFlow and TensorFlow Lite whose second input says how.
template <class Conversion>
void on_tile(const Conversion& c) {
  c.require_inputs(2, 2);
  give_tiled(c, c.integers(1, "repeats"));
}
template <class Conversion>
void on_broadcast_to(const Conversion& c) {
  c.require_inputs(2, 2);
  give_broadcast(c, c.integers(1, "dimensions"));
}
template <class Conversion>
void on_reverse(const Conversion& c) {
  c.require_inputs(2, 2);
  give_reversed(c, c.integers(1, "axes"));
}

// Shapes are known; networks compute the dimensions of a reshape from them.
inline void give_shape(const conversion& c) { c.give_constant(list_of(c.shape(0))); }
void give_rank(const conversion& c);
void give_filled(const conversion& c, const dims& shape, const array& v);

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/selection.ipp>
#endif
