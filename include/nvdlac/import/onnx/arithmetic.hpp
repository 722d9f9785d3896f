// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element-wise operators: of constants, of a constant and a computed tensor, of computed tensors.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// x * factor + bias, both known for each element of x, in its order. Either all factors are the
// same, or all biases are 0.
struct affine {
  std::vector<float> factor, bias;
};

// The values of each channel of a node's cube, if they are the same all over the channel.
std::optional<std::vector<float>> by_channel(const std::vector<float>& values, const computed& x,
                                             net::shape cube);

std::vector<value> add_affine(const context& c, const std::string& layer, const computed& x,
                              const affine& f);

// An operator of two computed tensors.
assembly::id add_pair(cube_builder& net, const std::string& layer, const std::string& type,
                      const std::vector<assembly::id>& in);

// A constant under the shape of x: one value for each of its elements, or a single one.
// Integers are for whole numbers alone.
std::vector<float> spread(const array& a, const dims& shape, const element_ceiling& most,
                          bool may_be_whole = false);

std::vector<value> constant_with_tensor(const context& c, const std::string& layer,
                                        const std::string& type, computed x, const array& a,
                                        bool constant_first);

// Under one shape, or one of them with a value for each channel of the other.
std::vector<value> tensor_with_tensor(const context& c, const std::string& layer,
                                      const std::string& type, const computed& x,
                                      const computed& y);

value combine(const context& c, const std::string& layer, const std::string& type, const value& x,
              const value& y);

// Until opset 6 the second input was aligned at an axis, and only when `broadcast` was set.
value aligned(const context& c, const dims& first, const value& second);

std::vector<value> on_binary(const context& c);
// Computes of constants. Without the attribute fmod the result has the divisor's sign, as Python's.
std::vector<value> on_mod(const context& c);
std::vector<value> on_sum(const context& c);
std::vector<value> on_extremum(const context& c);
std::vector<value> on_mean(const context& c);
std::vector<value> on_unary(const context& c);
array chosen(const array& which, const array& a, const array& b, const element_ceiling& most);
// Elements of one tensor where a constant condition holds, of another elsewhere: each times 1 or 0,
// and their sum.
value chosen(const context& c, const value& condition, const value& a, const value& b);
std::vector<value> on_where(const context& c);
// The type to which a Cast converts, or a CastLike, whose second input has that type: a tensor that
// is computed is real, or holds integers of the width that its grid tells.
std::int64_t target_type(const node& n, const std::vector<value>& in);
// Cast and CastLike.
std::vector<value> on_cast(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/arithmetic.ipp>
#endif
