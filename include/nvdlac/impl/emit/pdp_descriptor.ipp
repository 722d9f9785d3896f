// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/pdp_descriptor.hpp>
#include <nvdlac/layer/pdp.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL layer::pdp decode(const descriptor_of<layer::pdp>& d) {
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
