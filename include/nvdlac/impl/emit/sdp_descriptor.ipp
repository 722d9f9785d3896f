// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/sdp_descriptor.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL layer::sdp_unit decode_unit(const firmware::sdp_sub_op& s,
                                        const firmware::cube& operands, hw::precision p,
                                        const std::string& field) {
  layer::sdp_unit u;
  if (s.enable == 0) return u;
  expect(s.type <= 3, field + ".type", s.type, "no such operation");
  expect(s.alu_type <= 2, field + ".alu_type", s.alu_type, "only max, min and sum are supported");
  expect(s.act == act_none || s.act == act_relu || s.act == act_prelu, field + ".act", s.act,
         "only ReLU and PReLU are supported");
  expect(s.mode <= 2, field + ".mode", s.mode, "no such mode");
  expect(s.precision <= 1 || (s.precision == 2 && p == hw::precision::fp16),
         field + ".precision", s.precision, "only int8 and int16 are supported, in fp16 fp16");
  u.alu = (s.type & 2) != 0;
  u.mul = (s.type & 1) != 0;
  u.relu = s.act == act_relu;
  u.prelu = s.act == act_prelu;
  expect(u.enabled(), field + ".enable", s.enable, "the unit has nothing to do");
  u.algorithm = static_cast<layer::sdp_alu>(s.alu_type);
  u.mode = static_cast<layer::sdp_mode>(s.mode);
  u.alu_shift = s.shift_value;
  u.mul_shift = s.truncate;
  u.operand_bytes = s.precision == 0 ? 1 : 2;
  expect(std::in_range<std::int16_t>(s.alu_operand), field + ".alu_operand", s.alu_operand,
         "has more than 16 bits");
  expect(std::in_range<std::int16_t>(s.mul_operand), field + ".mul_operand", s.mul_operand,
         "has more than 16 bits");
  u.alu_operand = static_cast<std::int16_t>(s.alu_operand);
  u.mul_operand = static_cast<std::int16_t>(s.mul_operand);
  if (!u.reads_memory()) return u;
  if (u.mode == layer::sdp_mode::per_point)
    u.operands = decode(operands, field, p);
  else
    u.operands = {decode_location(operands, field), {}, 0, 0, operands.size};
  expect(!u.operands.at.on_the_fly(), field, 2, "operands must be in memory");
  return u;
}

}  // namespace detail

NVDLAC_IMPL layer::sdp decode(const descriptor_of<layer::sdp>& d) {
  const auto& op = d.op;
  const auto p = decode_precision(op.src_precision, "sdp.src_precision");
  const auto out = decode_precision(op.dst_precision, "sdp.dst_precision");
  expect(out != hw::precision::int8 || p != hw::precision::fp16, "sdp.dst_precision",
         op.dst_precision, "fp16 is not brought to int8");
  expect(op.lut_index >= -1, "sdp.lut_index", op.lut_index, "no such lookup table");
  expect(op.conv_mode <= 1, "sdp.conv_mode", op.conv_mode, "is 0, or 1 of Winograd");
  if (op.y.enable != 0) {
    expect(op.y.type == 0, "sdp.y_op.type", op.y.type,
           "Y's adder and multiplier are not supported");
    expect(op.y.act == detail::act_lut, "sdp.y_op.act", op.y.act, "Y only looks up");
  }
  expect((op.y.enable != 0) == (op.lut_index >= 0), "sdp.lut_index", op.lut_index,
         op.y.enable != 0 ? "Y has no lookup table" : "the lookup table is of no use without Y");
  layer::sdp l;
  l.input = decode(d.surface.src, "sdp.src_data", p);
  l.x1 = detail::decode_unit(op.x1, d.surface.x1, p, "sdp.x1_op");
  l.x2 = detail::decode_unit(op.x2, d.surface.x2, p, "sdp.x2_op");
  l.lut = op.lut_index;
  l.winograd = op.conv_mode == 1;
  l.out = decode(op.out_cvt);
  l.output = decode(d.surface.dst, "sdp.dst_data", out);
  l.input.pictures = l.output.pictures = std::max<std::int32_t>(op.batch_num, 1);
  if (op.batch_num > 1) l.output.picture_stride = op.batch_stride;
  return l;
}

}  // namespace nvdlac::emit
