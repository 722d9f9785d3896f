// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptor of a layer of Rubik.
#include <cstdint>

#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/rubik.hpp>

namespace nvdlac::emit {

template <>
struct descriptor_of<layer::rubik> {
  firmware::rubik_op op{};
  firmware::pdp_surface surface{};  // Rubik's is the same
};

constexpr descriptor_of<layer::rubik> encode(const layer::rubik& l, bytes) {
  descriptor_of<layer::rubik> d;
  d.op.precision = encode(l.input.precision);
  d.op.stride_x = narrow<std::uint8_t>(l.stride_x, "rubik.stride_x");
  d.op.stride_y = narrow<std::uint8_t>(l.stride_y, "rubik.stride_y");
  d.surface.src = encode(l.input, "rubik.src_data");
  d.surface.dst = encode(l.output, "rubik.dst_data");
  return d;
}

// Decodes a layer; a descriptor that `layer::rubik` cannot express, or that the firmware
// refuses, is an `error`.
layer::rubik decode(const descriptor_of<layer::rubik>& d);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/rubik_descriptor.ipp>
#endif
