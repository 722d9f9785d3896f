// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/cdp_descriptor.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/cdp.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL layer::cdp decode(const descriptor_of<layer::cdp>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.in_precision, "cdp.in_precision");
  expect(op.out_precision == op.in_precision, "cdp.out_precision", op.out_precision,
         "CDP does not change the precision");
  expect(op.lut_index >= 0, "cdp.lut_index", op.lut_index, "CDP needs a lookup table");
  expect(op.local_size >= 3 && op.local_size <= 9 && op.local_size % 2 == 1, "cdp.local_size",
         op.local_size, "must be 3, 5, 7 or 9");
  expect(op.bypass_sqsum == 0, "cdp.bypass_sqsum", op.bypass_sqsum,
         "only sums of squares are supported");
  expect(op.bypass_out_mul == 0, "cdp.bypass_out_mul", op.bypass_out_mul,
         "only products are supported");
  layer::cdp l;
  l.input = decode(d.surface.src, "cdp.src_data", p);
  l.output = decode(d.surface.dst, "cdp.dst_data", p);
  expect(!l.input.at.on_the_fly(), "cdp.src_data.type", 2, "the input must come from memory");
  expect(!l.output.at.on_the_fly(), "cdp.dst_data.type", 2, "the result must go to memory");
  l.local_size = op.local_size;
  l.in = decode(op.in_cvt);
  l.out = decode(op.out_cvt);
  l.lut = op.lut_index;
  return l;
}

}  // namespace nvdlac::emit
