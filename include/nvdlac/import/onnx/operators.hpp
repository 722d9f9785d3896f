// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// The versions of operators that a model, or a function of it, is written for.

// The opsets whose operators are understood.
inline constexpr std::int64_t first_opset = 1, last_opset = 27;
std::string supported_opsets();

using hub::versions;

// com.microsoft's operators follow ONNX's, others the version of their own domain; 0: none is told.
std::int64_t version_for(const versions& all, const std::string& domain);

// Throws where ONNX's operators are of a version that is not understood.
void check_version(const versions& all);

struct operator_entry {
  handler convert;
  bool of_constants = false;  // only where all inputs are known when the file is read
  std::int64_t since = first_opset;  // whose definition of the operator is understood
};

// By the operator's type, with its domain before it where that is not ONNX's.
using operator_table = std::map<std::string_view, operator_entry>;

// The operators that nvdlac understands.
const operator_table& operators();

// The operators that computed tensors may go through, for messages.
std::vector<std::string> supported_operators(const operator_table& all);

// The domain of an operator that is neither ONNX's nor ONNX Runtime's; empty for those.
std::string_view own_domain(std::string_view type);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/operators.ipp>
#endif
