// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>

namespace nvdlac::net {

// The operators of networks as they are trained. Their graph is in net/operators.hpp.
using standard_operators =
    type_list<input, constant, convolution, deconvolution, fully_connected, pool, relu, clip, prelu,
              activation, batch_norm, scale, add, multiply, extremum, concat, reshape, flatten,
              softmax, identity, lrn, move, on_host>;

// Whether an operator sums products of its input and weights, on CMAC.
template <class AnyOperator>
bool has_filters(const AnyOperator& op) {
  return std::holds_alternative<convolution>(op) || std::holds_alternative<fully_connected>(op);
}

}  // namespace nvdlac::net
