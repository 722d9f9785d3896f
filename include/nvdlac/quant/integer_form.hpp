// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <type_traits>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/integer/operators.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::quant {

// A tensor that an operator reads: real value = scale * integer.
struct scaled_input {
  net::shape shape{};
  double scale = 1;
};

// The integers of an operator of the user's own, who specialises it with
//   static net::integer::convolution run(const Op&, std::span<const scaled_input>, double out)
// or a scale, add or concat: one computation of the hardware that gives its tensor at any scale,
// here `out`.
// `quantise` (of real_filters), `quantise_scale`, `quantise_add` and `quantise_concat` make them.
// It throws nvdlac::error with the reason, without the layer's name. `lower::support` tells on
// which hardware the operator runs.
template <class Op>
struct integer_form;

template <class Op>
concept has_integer_form =
    requires(const Op& op, std::span<const scaled_input> in, double out_scale) {
      requires contains<std::remove_cvref_t<decltype(integer_form<Op>::run(op, in, out_scale))>,
                        type_list<net::integer::convolution, net::integer::scale,
                                  net::integer::add, net::integer::concat>>;
    };

template <class Op>
concept can_be_quantised = contains<Op, net::standard_operators> || has_integer_form<Op>;

}  // namespace nvdlac::quant
