// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support_integer.hpp>

namespace nvdlac::lower {

template <class Hw>
struct lowering<net::integer::lrn, Hw> {
  static constexpr void run(assembly& to, const site<net::integer::lrn>& s) {
    require_support<Hw>(s);
    net::require_known(s.op.le, "table LE");
    net::require_known(s.op.lo, "table LO");
    to.add(s.name, layer::cdp{.input = s.in[0],
                              .output = s.out,
                              .local_size = s.op.local_size,
                              .in = s.op.in,
                              .out = s.op.out,
                              .lut = to.keep_lut({s.op.table, s.op.tables()})});
  }
};

}  // namespace nvdlac::lower
