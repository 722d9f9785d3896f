// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that compute element by element.
#include <cstdint>
#include <vector>

#include <nvdlac/import/tensorflow/conversion.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::tensorflow_format {

void binary(const conversion& c, const char* type);
inline void on_add(const conversion& c) { binary(c, "Add"); }
inline void on_sub(const conversion& c) { binary(c, "Sub"); }
inline void on_mul(const conversion& c) { binary(c, "Mul"); }
inline void on_div(const conversion& c) { binary(c, "Div"); }
inline void on_maximum(const conversion& c) { binary(c, "Max"); }
inline void on_minimum(const conversion& c) { binary(c, "Min"); }
inline void on_pow(const conversion& c) { binary(c, "Pow"); }
inline void on_floor_mod(const conversion& c) { binary(c, "Mod"); }
// Rounded down, where integers are divided towards 0 else.
void on_floor_div(const conversion& c);
void on_squared_difference(const conversion& c);
void on_add_n(const conversion& c);

void unary(const conversion& c, const char* type, const std::vector<attribute>& attributes = {});
inline void on_abs(const conversion& c) { unary(c, "Abs"); }
inline void on_ceil(const conversion& c) { unary(c, "Ceil"); }
inline void on_cos(const conversion& c) { unary(c, "Cos"); }
inline void on_elu(const conversion& c) { unary(c, "Elu"); }
inline void on_erf(const conversion& c) { unary(c, "Erf"); }
inline void on_exp(const conversion& c) { unary(c, "Exp"); }
inline void on_floor(const conversion& c) { unary(c, "Floor"); }
inline void on_log(const conversion& c) { unary(c, "Log"); }
inline void on_neg(const conversion& c) { unary(c, "Neg"); }
inline void on_reciprocal(const conversion& c) { unary(c, "Reciprocal"); }
inline void on_relu(const conversion& c) { unary(c, "Relu"); }
inline void on_round(const conversion& c) { unary(c, "Round"); }
inline void on_selu(const conversion& c) { unary(c, "Selu"); }
inline void on_sigmoid(const conversion& c) { unary(c, "Sigmoid"); }
inline void on_sign(const conversion& c) { unary(c, "Sign"); }
inline void on_sin(const conversion& c) { unary(c, "Sin"); }
inline void on_softplus(const conversion& c) { unary(c, "Softplus"); }
inline void on_softsign(const conversion& c) { unary(c, "Softsign"); }
inline void on_sqrt(const conversion& c) { unary(c, "Sqrt"); }
inline void on_tan(const conversion& c) { unary(c, "Tan"); }
inline void on_tanh(const conversion& c) { unary(c, "Tanh"); }
void on_leaky_relu(const conversion& c);
inline void on_relu6(const conversion& c) { c.give(translation::clip(c, 0, 6)); }
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
