// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pooling on PDP, cut into rectangles in which every window has the same kernel.
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/pooled.hpp>
#include <nvdlac/lower/support_integer.hpp>

namespace nvdlac::lower {

template <class Hw>
struct lowering<quantised::pool, Hw> {
  static constexpr void run(assembly& to, const site<quantised::pool>& s) {
    require_support<Hw>(s);
    s.op.fit_in(s.in[0].precision, s.out.shape).value();
    const auto& w = s.op.window;
    const net::shape in = s.in[0].shape, out = s.out.shape;
    const auto rows = pool_runs(s.op, in.h, out.h, w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom,
                                out.h);
    const auto columns = pool_runs(s.op, in.w, out.w, w.kernel_w, w.stride_w, w.pad_left,
                                   w.pad_right, widest_pass(w));
    const bytes atom = Hw::spec.atom();
    for (const auto& y : rows)
      for (const auto& x : columns) {
        layer::pdp pdp{
            .input = layer::part(s.in[0], atom, 0, y.input.first, x.input.first,
                                 {in.c, y.input.count, x.input.count}),
            .output = layer::part(s.out, atom, 0, y.first, x.first, {out.c, y.count, x.count}),
            .kind = s.op.kind,
            .window = {.kernel_h = y.kernel,
                       .kernel_w = x.kernel,
                       .stride_h = w.stride_h,
                       .stride_w = w.stride_w,
                       .pad_top = y.input.pad_before,
                       .pad_left = x.input.pad_before,
                       .pad_bottom = y.input.pad_after,
                       .pad_right = x.input.pad_after},
            .pad_value = s.op.pad};
        const bool whole = rows.size() == 1 && columns.size() == 1;
        if (whole) to.add(s.name, pdp);
        else to.add(label(s.name, "/y", y.first, "x", x.first), pdp);
      }
  }
};

}  // namespace nvdlac::lower
