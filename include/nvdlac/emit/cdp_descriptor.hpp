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
layer::cdp decode(const descriptor_of<layer::cdp>& d);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/cdp_descriptor.ipp>
#endif
