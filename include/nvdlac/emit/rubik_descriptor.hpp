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
inline layer::rubik decode(const descriptor_of<layer::rubik>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.precision, "rubik.precision");
  expect(op.mode == 0, "rubik.mode", op.mode, "only mode 0 (contract) is supported");
  expect(op.stride_x >= 1 && op.stride_x <= 32, "rubik.stride_x", op.stride_x, "must be 1 to 32");
  expect(op.stride_y >= 1 && op.stride_y <= 32, "rubik.stride_y", op.stride_y, "must be 1 to 32");
  layer::rubik l{.input = decode(d.surface.src, "rubik.src_data", p),
                 .output = decode(d.surface.dst, "rubik.dst_data", p),
                 .stride_y = op.stride_y,
                 .stride_x = op.stride_x};
  expect(!l.input.at.on_the_fly(), "rubik.src_data.type", 2, "the input must come from memory");
  expect(!l.output.at.on_the_fly(), "rubik.dst_data.type", 2, "the result must go to memory");
  return l;
}

}  // namespace nvdlac::emit
