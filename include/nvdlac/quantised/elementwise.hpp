// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/net/elementwise.hpp>

namespace nvdlac::quantised {

// SDP takes its second input as operands of X1 or X2: one for each element of the first input, or
// one for each of its channels.
constexpr net::fitting fit_operand(std::span<const net::shape> in) {
  const net::fitting found = fit_elementwise(in);
  if (found.ok() && found.shape != in[0])
    return {net::rule::inputs_of_different_shapes,
            {in[0].c, in[0].h, in[0].w, in[1].c, in[1].h, in[1].w}};
  return found;
}

}  // namespace nvdlac::quantised
