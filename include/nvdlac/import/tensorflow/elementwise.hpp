// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that compute element by element.
#include <cstdint>
#include <vector>

#include <nvdlac/import/tensorflow/conversion.hpp>
#include <nvdlac/import/translation/conversion.hpp>
#include <nvdlac/import/translation/shared_operators.hpp>

namespace nvdlac::import::tensorflow_format {

using translation::binary_of, translation::unary_of;

void binary(const conversion& c, const char* type);
// Rounded down, where integers are divided towards 0 else.
void on_floor_div(const conversion& c);
void on_squared_difference(const conversion& c);
void on_add_n(const conversion& c);

void unary(const conversion& c, const char* type, const std::vector<attribute>& attributes = {});
void on_leaky_relu(const conversion& c);
void on_rsqrt(const conversion& c);
void on_square(const conversion& c);
void on_clip(const conversion& c);

void on_softmax(const conversion& c);
void on_log_softmax(const conversion& c);
void on_lrn(const conversion& c);

// Nodes that are not computed when the network runs.
void on_identity(const conversion& c);
void on_placeholder_with_default(const conversion& c);

void on_cast(const conversion& c);

// Integers of a few bits between two ends, which are moved so that one integer stands for 0. They
// give a tensor its scale; constants become what the integers stand for.
struct fake_grid {
  float scale = 0, low = 0, high = 0;
  std::int64_t zero = 0;
};
fake_grid nudged(float least, float most, std::int64_t bits, bool narrow);
void fake_quantise(const conversion& c, const std::vector<fake_grid>& grids, std::int64_t bits);
inline std::int64_t bits_of(const conversion& c) { return c.n.integer("num_bits", 8); }
inline bool is_narrow(const conversion& c) { return c.n.flag("narrow_range", false); }
void on_fake_quant_args(const conversion& c);
void on_fake_quant_vars(const conversion& c);

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/elementwise.ipp>
#endif
