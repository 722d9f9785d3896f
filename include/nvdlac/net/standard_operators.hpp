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

// The operators of networks as they are trained; their graph is in net/operators.hpp. An operator
// of a kind joins the list of that, beside its definition.
using standard_operators = joined_lists<
    type_list<input, constant, convolution, deconvolution, fully_connected, pool>,
    piecewise_linear_operators, type_list<activation, batch_norm, scale>, elementwise_operators,
    type_list<concat, reshape, flatten, softmax, identity, lrn, move, on_host>>;

// Operators that run on every configuration: SDP computes them element by element, or no layer
// does.
using operators_of_any_hardware =
    joined_lists<piecewise_linear_operators, elementwise_operators,
                 type_list<input, constant, batch_norm, scale, concat, identity, flatten, reshape,
                           on_host>>;

// Whether an operator sums products of its input and weights, on CMAC.
template <class AnyOperator>
bool has_filters(const AnyOperator& op) {
  return std::holds_alternative<convolution>(op) || std::holds_alternative<fully_connected>(op);
}

}  // namespace nvdlac::net
