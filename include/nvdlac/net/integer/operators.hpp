// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators in the integers that NVDLA computes with: what quantisation makes of net::graph. Each
// is one computation of the hardware, so that its reference is exact and lowering changes no value.
// A node's `precision` tells of what numbers its tensor is, int8, int16 or fp16, and its `scale`
// what they mean: real = scale * number. The inputs of an operator are of one precision.
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/integer/add.hpp>
#include <nvdlac/net/integer/average.hpp>
#include <nvdlac/net/integer/clip.hpp>
#include <nvdlac/net/integer/concat.hpp>
#include <nvdlac/net/integer/constant.hpp>
#include <nvdlac/net/integer/convert.hpp>
#include <nvdlac/net/integer/convolution.hpp>
#include <nvdlac/net/integer/extremum.hpp>
#include <nvdlac/net/integer/input.hpp>
#include <nvdlac/net/integer/lookup.hpp>
#include <nvdlac/net/integer/lrn.hpp>
#include <nvdlac/net/integer/move.hpp>
#include <nvdlac/net/integer/multiply.hpp>
#include <nvdlac/net/integer/on_host.hpp>
#include <nvdlac/net/integer/pool.hpp>
#include <nvdlac/net/integer/prelu.hpp>
#include <nvdlac/net/integer/reshape.hpp>
#include <nvdlac/net/integer/scale.hpp>
#include <nvdlac/net/integer/softmax.hpp>

namespace nvdlac::net::integer {

using operators =
    type_list<input, constant, convolution, pool, average, scale, add, multiply, extremum, clip,
              prelu, lookup, lrn, concat, reshape, softmax, move, convert, on_host>;

}  // namespace nvdlac::net::integer
