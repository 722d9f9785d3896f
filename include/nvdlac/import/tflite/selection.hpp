// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include <nvdlac/import/tflite/layout.hpp>
#include <nvdlac/import/translation/selection.hpp>

namespace nvdlac::import::tflite_format {

// Operators that make one number of all elements along some axes.
inline void reduce(const conversion& c, const char* type) {
  c.require_inputs(2, 2);
  const bool keep = c.flag(0);
  translation::give_reduced(c, type, c.integers(1, "axes"), keep);
}
inline void on_mean(const conversion& c) { reduce(c, "ReduceMean"); }
inline void on_sum(const conversion& c) { reduce(c, "ReduceSum"); }
inline void on_reduce_max(const conversion& c) { reduce(c, "ReduceMax"); }
inline void on_reduce_min(const conversion& c) { reduce(c, "ReduceMin"); }
inline void on_reduce_prod(const conversion& c) { reduce(c, "ReduceProd"); }

inline void arg_max(const conversion& c, bool of_opposites) {
  c.require_inputs(2, 2);
  c.require_type(0, c.out());
  translation::give_place_of_largest(c, single(c.integers(1, "axis"), "axis"), of_opposites);
}
inline void on_arg_max(const conversion& c) { arg_max(c, false); }
inline void on_arg_min(const conversion& c) { arg_max(c, true); }

// Operators that choose or repeat elements, and those that tell of shapes.
inline void on_gather(const conversion& c) {
  c.require_inputs(2, 2);
  if (c.integer(1) != 0)
    throw error(problem{.reason = text("it gathers apart for ", c.integer(1), " dimensions"),
                        .remedy = "batch_dims 0 is supported"});
  translation::give_gathered(c, c.integer(0), c.constant(1, "indices", false));
}
inline void on_unpack(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_count(0, c.outputs(), "parts");
  translation::give_unpacked(c, c.integer(1));
}
inline void on_pack(const conversion& c) {
  c.require_inputs(1, 1024);
  c.require_count(0, c.inputs(), "values");
  translation::give_packed(c, c.integer(1));
}

using translation::on_broadcast_to, translation::on_reverse, translation::on_tile;

inline void on_shape(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_type(0, c.out());
  translation::give_shape(c);
}
inline void on_rank(const conversion& c) {
  c.require_inputs(1, 1);
  translation::give_rank(c);
}
inline void on_fill(const conversion& c) {
  c.require_inputs(2, 2);
  translation::give_filled(c, c.integers(0, "dimensions"), c.constant(1, "value"));
}

}  // namespace nvdlac::import::tflite_format
