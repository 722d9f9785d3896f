// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptor of a layer of PDP.
#include <cstddef>
#include <cstdint>
#include <utility>

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
inline layer::pdp decode(const descriptor_of<layer::pdp>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.precision, "pdp.precision");
  expect(op.pool_mode <= 2, "pdp.pool_mode", op.pool_mode,
         "there are average, maximum and minimum");
  expect(op.pool_width < 8, "pdp.pool_width", op.pool_width, "is 8 at most, stored as 7");
  expect(op.pool_height < 8, "pdp.pool_height", op.pool_height, "is 8 at most, stored as 7");
  expect(op.stride_x >= 1 && op.stride_x <= 8, "pdp.stride_x", op.stride_x, "must be 1 to 8");
  expect(op.stride_y >= 1 && op.stride_y <= 8, "pdp.stride_y", op.stride_y, "must be 1 to 8");
  expect(op.split_num >= 1 && op.split_num <= 64, "pdp.split_num", op.split_num, "must be 1 to 64");
  layer::pdp l;
  l.input = decode(d.surface.src, "pdp.src_data", p);
  l.output = decode(d.surface.dst, "pdp.dst_data", p);
  expect(!l.output.at.on_the_fly(), "pdp.dst_data.type", 2, "the result must go to memory");
  expect(op.split_num == 1 || !l.input.at.on_the_fly(), "pdp.split_num", op.split_num,
         "must be 1 behind SDP");
  l.kind = static_cast<net::pool_kind>(op.pool_mode);
  l.window = {op.pool_height + 1, op.pool_width + 1, op.stride_y,   op.stride_x, op.pad_top,
              op.pad_left,        op.pad_bottom,     op.pad_right, 1,           1};
  expect(std::in_range<std::int16_t>(op.padding_value[0]), "pdp.padding_value", op.padding_value[0],
         "has more than 16 bits");
  l.pad_value = static_cast<std::int16_t>(op.padding_value[0]);
  for (std::int32_t i = 0; i < 7; ++i) {
    const auto value = op.padding_value[static_cast<std::size_t>(i)];
    expect(value == (i + 1) * l.pad_value, "pdp.padding_value", value,
           "is not a multiple of the first");
  }
  l.split = {op.split_num,          op.partial_in_width_first, op.partial_in_width_mid,
             op.partial_in_width_last, op.partial_width_first, op.partial_width_mid,
             op.partial_width_last};
  return l;
}

}  // namespace nvdlac::emit
