// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support_integer.hpp>

namespace nvdlac::lower {

template <class Hw>
struct lowering<net::integer::softmax, Hw> {
  static constexpr void run(assembly& to, const site<net::integer::softmax>& s) {
    using net::integer::softmax;
    require_support<Hw>(s);
    to.add(s.name, layer::host_softmax{.input = s.in[0],
                                       .output = s.out,
                                       .input_scale = softmax::given_scale(s.in_scale[0]),
                                       .output_scale = static_cast<float>(s.out_scale)});
  }
};

}  // namespace nvdlac::lower
