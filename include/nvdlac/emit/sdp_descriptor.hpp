// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptor of a layer of SDP.
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/sdp.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::emit {

template <>
struct descriptor_of<layer::sdp> {
  firmware::sdp_op op{};
  firmware::sdp_surface surface{};
};

namespace detail {

// The firmware's codes of what comes behind a unit's adder and multiplier.
inline constexpr std::uint8_t act_none = 0, act_relu = 1, act_lut = 2, act_prelu = 3;

constexpr firmware::sdp_sub_op encode_unit(const layer::sdp_unit& u, hw::precision p) {
  if (!u.enabled()) return {};
  firmware::sdp_sub_op s;
  s.enable = 1;
  s.alu_type = static_cast<std::uint8_t>(u.algorithm);
  s.type = static_cast<std::uint8_t>((u.alu ? 2 : 0) | (u.mul ? 1 : 0));
  // The firmware turns the read DMA on for any other mode, even when nothing is read.
  s.mode = u.alu || u.mul ? static_cast<std::uint8_t>(u.mode) : std::uint8_t{0};
  if (u.prelu && u.relu) throw error("an SDP unit is either PReLU or ReLU");
  s.act = u.prelu ? act_prelu : u.relu ? act_relu : act_none;
  s.shift_value = u.alu_shift;
  s.truncate = u.mul_shift;
  const bool real = p == hw::precision::fp16;
  s.precision = emit::encode(u.operand_bytes == 1 ? hw::precision::int8
                             : real               ? hw::precision::fp16
                                                  : hw::precision::int16);
  s.alu_operand = u.alu_operand;
  s.mul_operand = u.mul_operand;
  return s;
}

constexpr firmware::cube encode_operands(const layer::sdp_unit& u, const layer::surface& cube,
                                         bytes atom, std::string_view field) {
  if (!u.reads_memory()) return {};
  auto s = u.operands;
  if (u.mode == layer::sdp_mode::per_kernel) {
    s.shape = {cube.shape.c, 1, 1};
    s.line_stride = s.surface_stride = operand_unit(u, atom, cube.precision);
  }
  return encode(s, field);
}

layer::sdp_unit decode_unit(const firmware::sdp_sub_op& s, const firmware::cube& operands,
                            hw::precision p, const std::string& field);

}  // namespace detail

// Values that do not fit are an `error` that names the field.
constexpr descriptor_of<layer::sdp> encode(const layer::sdp& l, bytes atom) {
  descriptor_of<layer::sdp> d;
  d.op.src_precision = encode(l.input.precision);
  d.op.dst_precision = encode(l.output.precision);
  d.op.out_cvt = encode(l.out, true);
  d.op.x1 = detail::encode_unit(l.x1, l.input.precision);
  d.op.x2 = detail::encode_unit(l.x2, l.input.precision);
  d.op.lut_index = l.lut;
  d.op.conv_mode = l.winograd;
  d.op.batch_num = narrow<std::uint8_t>(l.output.pictures, "sdp.batch_num");
  d.op.batch_stride = l.output.picture_stride;
  if (l.lut >= 0) {
    d.op.y.enable = 1;
    d.op.y.act = detail::act_lut;
    d.op.y.precision = encode(l.input.precision);
  }
  d.surface.src = encode(l.input, "sdp.src_data");
  d.surface.x1 = detail::encode_operands(l.x1, l.input, atom, "sdp.x1_data");
  d.surface.x2 = detail::encode_operands(l.x2, l.input, atom, "sdp.x2_data");
  d.surface.dst = encode(l.output, "sdp.dst_data");
  return d;
}

// Decodes a layer; a value that `layer::sdp` cannot express is an `error` that names the field.
layer::sdp decode(const descriptor_of<layer::sdp>& d);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/sdp_descriptor.ipp>
#endif
