// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptor of a layer of CDP.
#include <cstdint>

#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/cdp.hpp>

namespace nvdlac::emit {

template <>
struct descriptor_of<layer::cdp> {
  firmware::cdp_op op{};
  firmware::pdp_surface surface{};  // CDP's is the same
};

constexpr descriptor_of<layer::cdp> encode(const layer::cdp& l, bytes) {
  descriptor_of<layer::cdp> d;
  auto& op = d.op;
  op.in_precision = encode(l.input.precision);
  op.out_precision = encode(l.output.precision);
  op.lut_index = l.lut;
  op.in_cvt = encode(l.in, true);
  op.out_cvt = encode(l.out, true);
  op.local_size = narrow<std::uint8_t>(l.local_size, "cdp.local_size");
  d.surface.src = encode(l.input, "cdp.src_data");
  d.surface.dst = encode(l.output, "cdp.dst_data");
  return d;
}

// Decodes a layer; a descriptor that `layer::cdp` cannot express, or that the firmware refuses,
// is an `error`. The firmware always programs both converters.
inline layer::cdp decode(const descriptor_of<layer::cdp>& d) {
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
