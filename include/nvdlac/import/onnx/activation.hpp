// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of each element.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/import/onnx/applied_function.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// Zeros that a movement put around the elements must stay zeros; where they do not, the function
// sees them as elements.
computed before_function(const context& c, const computed& x, bool zero_stays);
std::vector<value> on_relu(const context& c);

// Integers of a quantised tensor, cut to a narrower range, as exports of fewer bits have it.
computed clipped_integers(const context& c, computed x);
array clipped_integers(const context& c, array a);
std::vector<value> on_clip(const context& c);

std::vector<value> on_leaky_relu(const context& c);

std::vector<value> on_abs(const context& c);

std::vector<value> on_neg(const context& c);

std::vector<value> on_prelu(const context& c);

// min(max(alpha * x + beta, 0), 1)
computed hard_sigmoid(const context& c, const std::string& layer, float alpha, float beta,
                      const computed& x);
std::vector<value> on_hard_sigmoid(const context& c);
std::vector<value> on_hard_swish(const context& c);

// The functions that have no parameters.
const std::map<std::string_view, net::function>& plain_functions();

// The function of a computed tensor, or of a constant.
value activated(const context& c, const std::string& layer, const net::activation& op,
                const value& of);

std::vector<value> on_function(const context& c);

// x + bias below -lambd, x - bias above lambd, 0 between.
std::vector<value> on_shrink(const context& c);

// The single number that a constant holds.
std::optional<float> single(const value& v);

std::vector<value> on_pow(const context& c);

std::vector<value> on_div(const context& c);

// Operators of com.microsoft that ONNX Runtime makes of several of ONNX's.

// The function that is computed with an operator, called as in ONNX, of which it has the parameters
// in ONNX's order of the attributes.
computed applied_by_name(const context& c, const std::string& layer, const std::string& function,
                         const std::vector<float>& parameters, const computed& x);

// A convolution, a tensor that is added to it, and a function of the sum.
std::vector<value> on_fused_conv(const context& c);

// A Gemm and a function of it. The function's attributes are `activation_` and their own names;
// what is not given is as ONNX has it.
std::vector<value> on_fused_gemm(const context& c);

// A matrix whose rows and columns are exchanged; `batch`: its first dimension becomes that of the
// rows before.
value turned_matrix(const context& c, const value& v, bool rows, bool batch);
// alpha * A * B, either turned before.
std::vector<value> on_fused_mat_mul(const context& c);

// Gelu, FastGelu (of a sum with a bias, if there is one) and BiasGelu.
template <net::function Function>
std::vector<value> on_fused_gelu(const context& c) {
  const bool biased = c.n.type().find("Bias") != std::string::npos;
  c.require_inputs(biased ? 2 : 1, Function == net::function::gelu && !biased ? 1 : 2);
  const value x =
      c.given(1) ? combine(c, c.n.name() + "/sum", "Add", c.in[0], c.in[1]) : c.in[0];
  return {activated(c, c.n.name(), net::activation{.function = Function}, x)};
}
std::vector<value> on_quick_gelu(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/activation.ipp>
#endif
