// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>

#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/fully_connected.hpp>

namespace nvdlac::net {

// Whether an operator sums products of its input and weights, on CMAC.
template <class AnyOperator>
bool has_filters(const AnyOperator& op) {
  return std::holds_alternative<convolution>(op) || std::holds_alternative<fully_connected>(op);
}

}  // namespace nvdlac::net
