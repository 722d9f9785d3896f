// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptor of a layer of PDP.
#include <cstddef>
#include <cstdint>

#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/pdp.hpp>

namespace nvdlac::emit {

template <>
struct descriptor_of<layer::pdp> {
  firmware::pdp_op op{};
  firmware::pdp_surface surface{};
};

// Values that do not fit are an `error` that names the field.
constexpr descriptor_of<layer::pdp> encode(const layer::pdp& l, bytes) {
  descriptor_of<layer::pdp> d;
  auto& op = d.op;
  const auto& w = l.window;
  op.partial_in_width_first = l.split.in_first;
  op.partial_in_width_mid = l.split.in_mid;
  op.partial_in_width_last = l.split.in_last;
  op.partial_width_first = l.split.out_first;
  op.partial_width_mid = l.split.out_mid;
  op.partial_width_last = l.split.out_last;
  op.split_num = l.split.parts;
  op.precision = encode(l.input.precision);
  op.pool_mode = static_cast<std::uint8_t>(l.kind);
  op.pool_width = narrow<std::uint8_t>(w.kernel_w - 1, "pdp.pool_width");
  op.pool_height = narrow<std::uint8_t>(w.kernel_h - 1, "pdp.pool_height");
  op.stride_x = narrow<std::uint8_t>(w.stride_w, "pdp.stride_x");
  op.stride_y = narrow<std::uint8_t>(w.stride_h, "pdp.stride_y");
  op.pad_left = narrow<std::uint8_t>(w.pad_left, "pdp.pad_left");
  op.pad_right = narrow<std::uint8_t>(w.pad_right, "pdp.pad_right");
  op.pad_top = narrow<std::uint8_t>(w.pad_top, "pdp.pad_top");
  op.pad_bottom = narrow<std::uint8_t>(w.pad_bottom, "pdp.pad_bottom");
  for (std::int32_t i = 0; i < 7; ++i)
    op.padding_value[static_cast<std::size_t>(i)] = (i + 1) * l.pad_value;
  d.surface.src = encode(l.input, "pdp.src_data");
  d.surface.dst = encode(l.output, "pdp.dst_data");
  return d;
}

// Decodes a layer; a descriptor that `layer::pdp` cannot express, or that the firmware refuses,
// is an `error`.
layer::pdp decode(const descriptor_of<layer::pdp>& d);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/pdp_descriptor.ipp>
#endif
