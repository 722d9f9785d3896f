// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of SDP, of PDP and of the host's layers.
#include <algorithm>
#include <array>
#include <cstdint>

#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

template <hw::register_map Map>
constexpr void check_unit(const layer::sdp_unit& u, const layer::surface& in, rules r) {
  using limits = typename hw::limits<Map>::sdp;
  const net::shape cube = in.shape;
  r.within(u.alu_shift, 0, limits::alu_shift, "the operand's shift");
  r.within(u.mul_shift, 0, limits::mul_shift, "the product's shift");
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
  using limits = typename hw::limits<Map>::sdp;
  r.size(s.input.shape, limits::width, limits::height, limits::channels, "the cube");
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
  r.within(s.out.shift, 0, limits::output_shift, "the output converter's shift");
}

// A width of so many parts.
constexpr bool adds_up(std::uint32_t parts, std::int64_t first, std::int64_t mid, std::int64_t last,
                       std::int64_t whole) {
  return whole == (parts == 2 ? first + last : first + (parts - 2) * mid + last);
}

template <hw::register_map Map>
constexpr void check_split(const layer::pdp& p, rules r) {
  using limits = typename hw::limits<Map>::pdp;
  const auto& s = p.split;
  // 8 line buffers of 16 atoms are shared by the windows that overlap one line.
  constexpr std::array overlapping{1, 1, 2, 4, 4, 8, 8, 8, 8};
  const auto& w = p.window;
  const auto windows = std::clamp<std::int32_t>(
      (w.kernel_h + w.stride_h - 1) / std::max<std::int32_t>(w.stride_h, 1), 1, 8);
  const std::int64_t most = 128 / overlapping[static_cast<std::size_t>(windows)];
  r.within(s.parts, 1, limits::firmware_splits, "the number of parts");
  if (s.parts == 1)
    return r.expect(p.output.shape.w <= most, "the line buffers hold ", most, " columns of the ",
                    p.output.shape.w, " of the output");
  r.expect(!p.input.at.on_the_fly(), "what comes on the fly cannot be split");
  r.expect(adds_up(s.parts, s.in_first, s.in_mid, s.in_last, p.input.shape.w) &&
               adds_up(s.parts, s.out_first, s.out_mid, s.out_last, p.output.shape.w),
           "the parts do not add up to the width");
  for (const auto part : {s.out_first, s.out_mid, s.out_last})
    r.expect(part <= most, "the line buffers hold ", most, " columns of the ", part, " of a part");
  for (const auto part : {s.in_first, s.in_mid, s.in_last, s.out_first, s.out_mid, s.out_last})
    r.within(part, 0, limits::split_width, "the width of a part");
}

template <hw::register_map Map>
constexpr void check_layer(const layer::pdp& p, rules r) {
  using limits = typename hw::limits<Map>::pdp;
  const net::shape in = p.input.shape, out = p.output.shape;
  r.expect(r.hw().has_pdp(), "the configuration has none");
  r.size(in, limits::width, limits::height, limits::channels, "the input");
  r.size(out, limits::width, limits::height, limits::channels, "the output");
  r.expect(p.input.precision == p.output.precision, "the data types of its cubes differ");
  r.expect(r.hw().data_types.has(p.input.precision),
           "the configuration does not have the data type");
  r.expect(in.c == out.c, "the input has ", in.c, " channels but the output ", out.c);
  if (!p.input.at.on_the_fly()) r.cube(p.input, "the input");
  r.expect(!p.output.at.on_the_fly(), "its result cannot go on the fly");
  if (!p.output.at.on_the_fly()) r.cube(p.output, "the output");
  const auto& w = p.window;
  r.expect(w.dilation_h == 1 && w.dilation_w == 1, "a pooling has no dilation");
  r.within(w.kernel_h, 1, limits::kernel, "the kernel's height");
  r.within(w.kernel_w, 1, limits::kernel, "the kernel's width");
  r.within(w.stride_h, 1, limits::firmware_stride, "the vertical stride");
  r.within(w.stride_w, 1, limits::firmware_stride, "the horizontal stride");
  const auto most = [&](std::int32_t kernel) {
    return std::min<std::int64_t>(limits::pad, kernel - 1);
  };
  r.within(w.pad_top, 0, most(w.kernel_h), "the top padding");
  r.within(w.pad_bottom, 0, most(w.kernel_h), "the bottom padding");
  r.within(w.pad_left, 0, most(w.kernel_w), "the left padding");
  r.within(w.pad_right, 0, most(w.kernel_w), "the right padding");
  r.within(p.pad_value, -128, 127, "the padding value");
  // Lines that remain would be taken for the next surface's.
  r.expect(slides_exactly(in.h, w.pad_top, w.pad_bottom, w.kernel_h, w.stride_h, out.h),
           "the output's height ", out.h, " does not follow from the input's ", in.h);
  r.expect(slides_exactly(in.w, w.pad_left, w.pad_right, w.kernel_w, w.stride_w, out.w),
           "the output's width ", out.w, " does not follow from the input's ", in.w);
  check_split<Map>(p, r);
}

template <hw::register_map Map>
constexpr void check_layer(const layer::host_softmax& s, rules r) {
  r.expect(s.input.shape == s.output.shape, "the output ", s.output.shape, " is not the input ",
           s.input.shape);
  r.expect(s.input.shape.h == 1 && s.input.shape.w == 1, "the softmax of ", s.input.shape,
           " is not over channels alone");
  for (const auto* cube : {&s.input, &s.output}) {
    r.cube(*cube, "the cube");
    r.expect(layer::surfaces(cube->shape, r.hw().atom(), cube->precision) == 1 ||
                 cube->surface_stride == r.hw().memory_atom,
             "the channels are not contiguous: surfaces stand ", cube->surface_stride,
             " bytes apart");
  }
  for (const float scale : {s.input_scale, s.output_scale})
    r.expect(is_scale(scale), "a scale of ", scale, " is not above 0");
}

template <hw::register_map Map>
constexpr void check_layer(const layer::host_call& c, rules r) {
  r.expect(c.call >= 0 && c.call < r.calls(), "it is call ", c.call, " of ", r.calls());
  r.expect(c.input_count >= 1, "it reads nothing");
  for (const auto& cube : c.inputs()) r.cube(cube, "an input");
  r.cube(c.output, "the output");
  for (std::size_t i = 0; i < c.inputs().size(); ++i)
    r.expect(is_scale(c.input_scales[i]), "the scale of input ", i,
             " is ", c.input_scales[i]);
  r.expect(is_scale(c.output_scale), "the output's scale is ",
           c.output_scale);
}

}  // namespace nvdlac::plan::checker
