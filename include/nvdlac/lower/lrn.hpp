// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

template <>
struct standard_lowering<quantised::lrn> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::lrn>& s) {
    require_support(hw, s);
    s.op.fit_in(s.in[0].precision, s.out.shape).value();
    s.op.fit_constants(std::array{s.out.shape}).value();
    const layer::lut lut{s.op.table, quantised::tables_of(s.op.le, s.op.lo)};
    to.add(s.name, layer::cdp{.input = s.in[0],
                              .output = s.out,
                              .local_size = s.op.local_size,
                              .in = s.op.in,
                              .out = s.op.out,
                              .lut = to.keep_lut(lut)});
  }
};

}  // namespace nvdlac::lower
