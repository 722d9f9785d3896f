// SPDX-License-Identifier: Apache-2.0
#pragma once
// What runs where, of the integer operators: quantisation makes none that the hardware lacks, but
// networks that are written in integers can hold any.
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/net/integer/operators.hpp>
#include <nvdlac/type_name.hpp>

namespace nvdlac::lower {

template <class Hw> struct support<net::integer::input, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::integer::constant, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::integer::scale, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::integer::add, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::integer::concat, Hw> : always_supported<Hw> {};
template <class Hw> struct support<net::integer::reshape, Hw> : always_supported<Hw> {};

template <class Hw>
struct support<net::integer::convolution, Hw> {
  static constexpr reason check(const net::integer::convolution& op,
                                std::span<const net::shape> in) {
    return support<net::convolution, Hw>::check(
        {.kernels = op.kernels, .window = op.window, .groups = op.groups}, in);
  }
};

template <class Hw>
struct support<net::integer::pool, Hw> {
  static constexpr reason check(const net::integer::pool& op, std::span<const net::shape> in) {
    return support<net::pool, Hw>::check({.kind = op.kind,
                                          .window = op.window,
                                          .ceil = op.ceil,
                                          .count_include_pad = op.count_include_pad},
                                         in);
  }
};

template <class Hw>
struct support<net::integer::softmax, Hw> {
  static constexpr reason check(const net::integer::softmax&, std::span<const net::shape> in) {
    return support<net::softmax, Hw>::check({}, in);
  }
};

// Throws if Hw cannot compute the operator on the cubes that it reads.
template <class Hw, class Op>
constexpr void require_support(const site<Op>& s) {
  std::vector<net::shape> in;
  for (const auto& cube : s.in) in.push_back(cube.shape);
  if (const auto why = support<Op, Hw>::check(s.op, in); why != reason::none)
    throw error(problem{.layer = s.name,
                        .reason = text(type_name<Op>(), " does not run on ", type_name<Hw>(), ": ",
                                       to_text(why))});
}

}  // namespace nvdlac::lower
