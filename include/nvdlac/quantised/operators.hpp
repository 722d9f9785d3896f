// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators in the integers that NVDLA computes with: what quantisation makes of net::graph. Each
// is one computation of the hardware, so that its reference is exact and lowering changes no value.
// A node's `precision` tells of what numbers its tensor is, int8, int16 or fp16, and its `scale`
// what they mean: real = scale * number. The inputs of an operator are of one precision.
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/quantised/convolution.hpp>
#include <nvdlac/quantised/elementwise.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/quantised/lookup.hpp>
#include <nvdlac/quantised/move.hpp>
#include <nvdlac/quantised/on_host.hpp>
#include <nvdlac/quantised/pointwise.hpp>
#include <nvdlac/quantised/pool.hpp>

namespace nvdlac::quantised {

// Operators that SDP computes over tensors in memory. One of a kind joins the list of that, beside
// its definition.
using operators_of_sdp =
    joined_lists<pointwise_operators, elementwise_operators, type_list<lookup>>;

using operators =
    joined_lists<type_list<input, constant, convolution, pool, average>, operators_of_sdp,
                 type_list<lrn, concat, reshape, softmax, move, on_host>>;

}  // namespace nvdlac::quantised
