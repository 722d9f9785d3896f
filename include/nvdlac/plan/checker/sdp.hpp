// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of SDP.
#include <cstdint>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/plan/checker/batch.hpp>
#include <nvdlac/plan/checker/rules.hpp>
#include <nvdlac/plan/checker/winograd.hpp>

namespace nvdlac::plan::checker {

template <hw::register_map Map>
constexpr void check_unit(const layer::sdp_unit& u, const layer::surface& in, rules r) {
  constexpr const auto& limits = hw::limits<Map>.sdp;
  const net::shape cube = in.shape;
  r.within(u.alu_shift, 0, limits.alu_shift, "the operand's shift");
  r.within(u.mul_shift, 0, limits.mul_shift, "the product's shift");
  r.expect(u.operand_bytes == 1 || u.operand_bytes == 2, "operands of ", int{u.operand_bytes},
           " bytes are none of 1 or 2");
  r.expect(!u.prelu || (u.mul && !u.alu && !u.relu), "PReLU needs the multiplier alone");
  if (u.mode == layer::sdp_mode::per_layer) return;
  r.expect(u.alu || u.mul, "operands are read that nothing uses");
  if (u.mode == layer::sdp_mode::per_point) {
    r.expect(!(u.alu && u.mul), "a cube of operands is for the adder or for the multiplier");
    r.cube(u.operands, "the operands' cube", u.operand_bytes / hw::element_bytes(in.precision));
    r.expect(u.operands.shape == cube, "the operands' cube is ", u.operands.shape, ", not ", cube);
    return;
  }
  r.address(u.operands, "the operands' start");
  const auto lanes = align_up(static_cast<std::uint64_t>(cube.c),
                              layer::lanes_of(r.hw().atom(), in.precision));
  const auto size = lanes * u.operand_bytes * (u.alu && u.mul ? 2 : 1);
  r.expect(u.operands.size >= size, "the operands of ", cube.c, " channels have ", u.operands.size,
           " bytes, not ", size);
}

// int8 and fp16 become each other by way of int16 only. Cubes on the fly have the data type in
// which SDP computes: int16 becomes int8 between memories alone, and PDP takes what comes.
constexpr void check_conversion(const layer::surface& in, const layer::surface& out, rules r) {
  using enum hw::precision;
  const auto from = in.precision, to = out.precision;
  r.expect(!(from == int8 && to == fp16), "it makes fp16 of int8 at once");
  r.expect(!(from == fp16 && to == int8), "it makes int8 of fp16 at once");
  r.expect(!(in.at.on_the_fly() && from == int16 && to == int8),
           "it makes int8 of int16 on the fly");
  r.expect(!out.at.on_the_fly() || from == to, "it changes the data type on the way to PDP");
}

template <hw::register_map Map>
constexpr void check_layer(const layer::sdp& s, rules r) {
  constexpr const auto& limits = hw::limits<Map>.sdp;
  r.size(s.input.shape, limits.width, limits.height, limits.channels, "the cube");
  r.expect(s.output.shape == s.input.shape, "the output ", s.output.shape, " is not the input ",
           s.input.shape);
  if (!s.input.at.on_the_fly()) r.cube(s.input, "the input");
  if (!s.output.at.on_the_fly()) {
    r.cube(s.output, "the output");
    const bool one_pixel = s.output.shape.h == 1 && s.output.shape.w == 1;
    r.expect(!one_pixel || s.output.surface_stride == r.hw().memory_atom ||
                 layer::surfaces(s.output.shape, r.hw().atom(), s.output.precision) == 1,
             "the surfaces of an output of one pixel do not lie side by side");
  }
  check_unit<Map>(s.x1, s.input, r);
  check_unit<Map>(s.x2, s.input, r);
  r.expect(s.lut < 0 || r.hw().sdp_lut, "the configuration has no lookup table");
  r.expect(s.lut < r.luts(), "there is no lookup table ", s.lut);
  for (const auto p : {s.input.precision, s.output.precision})
    r.expect(r.hw().data_types.has(p), "the configuration does not have the data type");
  check_conversion(s.input, s.output, r);
  check_winograd(s, r);
  check_batch(s, r);
  r.within(s.out.shift, 0, limits.output_shift, "the output converter's shift");
}

}  // namespace nvdlac::plan::checker
