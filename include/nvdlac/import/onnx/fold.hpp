// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic on tensors that are known when the file is read.
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::onnx_format {

std::int64_t to_integer(double v);

const std::map<std::string_view, double (*)(double)>& unary_functions();

// A function of two numbers; it makes integers of integers again, or truth values.
struct binary_function {
  double (*of_reals)(double, double);
  bool truth = false;
};

const std::map<std::string_view, binary_function>& binary_functions();

// Exact where a double is not.
std::int64_t integer_result(std::string_view type, const binary_function& f, std::int64_t a,
                            std::int64_t b);

// Throws where computed integers leave the type of those that they are computed of, in which ONNX
// wraps around.
void require_in_type(const array& a);

array fold_unary(std::string_view type, array a);

// Knows "Fmod", too, a Mod whose results have the sign of the dividend and not of the divisor.
array fold_binary(std::string_view type, const array& a, const array& b,
                  const element_ceiling& most);

array fold_concat(const std::vector<array>& parts, std::int64_t axis, const element_ceiling& most);

// An integer as a type of fewer bits keeps its lowest ones.
std::int64_t wrapped(std::int64_t v, std::int64_t type);
// A real number loses what is behind its point; what the type does not hold is an `error`.
std::int64_t truncated(double v, std::int64_t type);

array fold_cast(array a, std::int64_t type);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/fold.ipp>
#endif
