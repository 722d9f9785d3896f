// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of the engines.
#include <algorithm>
#include <array>
#include <cstdint>

#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

// CDMA's input: a feature cube or lines of pixels.
template <hw::register_map Map>
constexpr void check_input(const layer::convolution& c, rules r) {
  using limits = typename hw::limits<Map>::convolution;
  r.size(c.input.shape, limits::width, limits::height, limits::channels, "the input");
  if (c.precision == hw::precision::int8) r.within(c.pad_value, -128, 127, "the padding value");
  r.expect(r.hw().data_types.has(c.precision), "the configuration does not have the data type");
  if (!c.is_pixel()) {
    r.cube(c.input, "the input");
    r.expect(!c.use_mean, "means are subtracted from pixels only");
    r.expect(c.kernel_lines == 1, "post-extension is for pixels only");
  } else {
    r.address(c.input, "the input");
    const auto line = std::uint64_t(c.input.shape.w) * std::uint64_t(c.input.shape.c);
    r.expect(c.input.line_stride % r.unit_of_addresses() == 0, "the pixels' line stride of ",
             c.input.line_stride, " is not a multiple of ", r.unit_of_addresses());
    r.expect(c.input.line_stride >= line, "the pixels' line stride of ", c.input.line_stride,
             " is less than a line of ", line, " bytes");
    r.expect(c.input.shape.c == (c.format == layer::pixel_format::r8 ? 1 : 4),
             "pixels of ", c.input.shape.c, " channels do not have the format ",
             static_cast<int>(c.format));
    r.expect(c.window.dilation_w == 1 && c.window.dilation_h == 1, "a kernel of pixels is dilated");
    r.expect(hw::takes_kernel_lines(
                 r.hw(), c.kernel_lines, static_cast<std::uint64_t>(c.kernel_channels_csc()),
                 static_cast<std::uint64_t>(c.input.shape.c * c.window.stride_w)),
             "one step cannot take ", int{c.kernel_lines}, " lines of the kernel");
    r.expect(hw::reads_image_lines(r.hw(), static_cast<std::uint64_t>(c.kernel_channels_csc()),
                                   static_cast<std::uint64_t>(c.output.w)),
             "CSC miscounts the blocks of a kernel's lines of ", c.kernel_channels_csc(),
             " elements for ", c.output.w, " columns of output");
  }
  r.within(c.cvt.shift, 0, limits::input_shift, "the input converter's shift");
  r.expect(!c.use_mean || c.cvt.offset == 0, "means replace the input converter's offset of ",
           c.cvt.offset);
  r.within(c.cvt.offset, -32768, 32767, "the input converter's offset");
}

template <hw::register_map Map>
constexpr void check_window(const layer::convolution& c, rules r) {
  using limits = typename hw::limits<Map>::convolution;
  if (c.winograd) return check_winograd<Map>(c, r);
  r.expect(c.input_truncate == 0, "it truncates what only Winograd's mode transforms");
  const auto& w = c.window;
  r.within(w.kernel_h, 1, limits::kernel_height, "the kernel's height");
  r.within(w.kernel_w, 1, limits::kernel_width, "the kernel's width");
  r.within(w.stride_h, 1, limits::stride, "the vertical stride");
  r.within(w.stride_w, 1, limits::stride, "the horizontal stride");
  r.within(w.dilation_h, 1, limits::dilation, "the vertical dilation");
  r.within(w.dilation_w, 1, limits::dilation, "the horizontal dilation");
  r.within(w.pad_left, 0, std::min<std::int64_t>(limits::pad_left, w.extent_w() - 1),
           "the left padding");
  r.within(w.pad_right, 0, std::min<std::int64_t>(limits::pad_right, w.extent_w() - 1),
           "the right padding");
  r.within(w.pad_top, 0, std::min<std::int64_t>(limits::pad_top, w.extent_h() - 1),
           "the top padding");
  r.within(w.pad_bottom, 0, std::min<std::int64_t>(limits::pad_bottom, w.extent_h() - 1),
           "the bottom padding");
  const net::shape in = c.input.shape, out = c.output;
  r.expect(slides_exactly(in.h, w.pad_top, w.pad_bottom, w.extent_h(), w.stride_h, out.h),
           "the output's height ", out.h, " does not follow from the input's ", in.h);
  r.expect(slides_exactly(in.w, w.pad_left, w.pad_right, w.extent_w(), w.stride_w, out.w),
           "the output's width ", out.w, " does not follow from the input's ", in.w);
  r.size(out, limits::width, limits::height, limits::kernels, "the output");
}

// Compressed weights: the mask has a bit for each element, each kernel group the size that its bits
// tell, and all together fill whole entries.
constexpr void check_compressed(const layer::convolution& c, rules r) {
  const hw::spec& hw = r.hw();
  const auto element = std::uint64_t{hw::element_bytes(c.precision)};
  const auto kernels = std::uint64_t(c.output.c), kernel = c.elements_per_kernel();
  const auto elements = kernels * kernel, of_group = hw.kernel_group(c.precision) * kernel;
  const auto groups = elements / of_group + (elements % of_group != 0 ? 1 : 0);
  const auto bank = hw.cbuf_bank().n;
  r.expect(hw.weight_compression, "the configuration reads no compressed weights");
  r.address(c.mask, "the mask's start");
  r.address(c.group_sizes, "the start of the groups' sizes");
  r.expect(c.mask.size == (elements + 1023) / 1024 * 128, "the mask of ", elements,
           " elements has ", c.mask.size, " bytes");
  r.expect(c.group_sizes.size == groups * 4, "the sizes of ", groups, " kernel groups have ",
           c.group_sizes.size, " bytes");
  const auto bits = std::min(of_group, elements);
  r.expect(c.mask.size <= bank || bits + hw.cbuf_entry * 8 <= bank * 8,
           "the mask of a kernel group does not fit its bank");
  const auto mask = r.content(c.mask), sizes = r.content(c.group_sizes);
  if (mask.size() * 8 < elements || sizes.size() < groups * 4) return;
  std::uint64_t sum = 0, largest = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    std::uint64_t there = 0, told = 0;
    for (auto i = g * of_group; i < std::min((g + 1) * of_group, elements); ++i)
      there += mask[static_cast<std::size_t>(i / 8)] >> i % 8 & 1;
    for (std::size_t b = 4; b-- > 0;) told = told * 256 + sizes[4 * g + b];
    r.expect(told == there * element, "kernel group ", g, " is told to have ", told,
             " bytes, but its mask has ", there, " elements");
    sum += told, largest = std::max(largest, told);
  }
  const auto entry = hw.map == hw::register_map::full ? std::uint64_t{128} : hw.cbuf_entry;
  r.expect(c.weights.size >= sum && c.weights.size - sum < entry && c.weights.size % entry == 0,
           "the weights have ", c.weights.size, " bytes, but ", sum, " are told of their groups");
  r.expect(std::min(largest + hw.cbuf_entry, c.weights.size) <= c.weight_banks * bank,
           "a group of kernels of ", largest, " bytes does not fit ", int{c.weight_banks},
           " banks");
}

// Weights as they are.
constexpr void check_weights(const layer::convolution& c, rules r) {
  const hw::spec& hw = r.hw();
  const auto kernel = c.bytes_per_kernel(), kernels = std::uint64_t(c.output.c);
  const auto group = std::min<std::uint64_t>(kernels, hw.kernel_group(c.precision)) * kernel;
  r.expect(group <= c.weight_banks * hw.cbuf_bank().n, "a group of kernels of ", group,
           " bytes does not fit ", int{c.weight_banks}, " banks");
  // CDMA writes the entries of WEIGHT_BYTES, CSC releases those that the kernels fill. The rest
  // stays for ever, and what CSC reads next stands behind it.
  const auto entry = hw.map == hw::register_map::full ? std::uint64_t{128} : hw.cbuf_entry;
  const auto filled = kernels * kernel / entry + (kernels * kernel % entry != 0 ? 1 : 0);
  r.expect(c.weights.size == filled * entry, "the weights have ", c.weights.size, " bytes, but ",
           kernels, " kernels of ", kernel, " fill ", filled, " entries of ", entry);
}

// The CBUF holds all lines of the input and at least one group of kernels.
template <hw::register_map Map>
constexpr void check_buffer(const layer::convolution& c, rules r) {
  using limits = typename hw::limits<Map>::convolution;
  const hw::spec& hw = r.hw();
  const auto p = c.precision;
  const auto width = std::uint64_t(c.input.shape.w), channels = std::uint64_t(c.input.shape.c);
  const auto pads = std::uint64_t(c.window.pad_left) + std::uint64_t(c.window.pad_right);
  const entries slice = c.winograd ? entries{winograd_slice(c, hw)}
                        : c.is_pixel() ? hw::image_entries_per_slice(hw, p, width + pads, channels)
                                       : hw::feature_entries_per_slice(hw, p, width, channels);
  r.expect(slice.n == c.entries_per_slice, "a slice takes ", slice.n, " entries of the CBUF, not ",
           c.entries_per_slice);
  r.within(c.entries_per_slice, 1, limits::entries_per_slice, "the number of entries in a slice");
  r.expect(c.data_banks >= 1 && c.weight_banks >= 1, "data or weights have no bank of the CBUF");
  const auto banks = hw.cbuf_banks - (c.is_compressed() ? 1 : 0);  // the masks have the last one
  r.expect(std::uint32_t{c.data_banks} + c.weight_banks <= banks, "the CBUF has ", banks,
           " banks, not ", int{c.data_banks}, " + ", int{c.weight_banks});
  const auto room = std::uint64_t{c.data_banks} * hw.cbuf_entries_per_bank;
  const std::int32_t slices =
      c.winograd ? c.window.pad_top + c.input.shape.h + c.window.pad_bottom : c.input.shape.h;
  r.expect(slice.n * std::uint64_t(slices) * std::uint64_t(c.input.pictures) <= room,
           slices * c.input.pictures, " slices of ", slice.n, " entries do not fit ",
           int{c.data_banks}, " banks");
  r.within(static_cast<std::int64_t>(c.bytes_per_kernel()), 1, limits::kernel_bytes,
           "the bytes of a kernel");
  r.address(c.weights, "the weights' start");
  if (c.is_compressed()) check_compressed(c, r);
  else check_weights(c, r);
  r.within(c.fetch_grain, 1, limits::fetch_lines, "the lines fetched at once");
  r.within(c.release, 1, std::min<std::int64_t>(slices, limits::release_lines),
           "the number of released slices");
}

template <hw::register_map Map>
constexpr void check_layer(const layer::convolution& c, rules r) {
  check_input<Map>(c, r);
  check_window<Map>(c, r);
  check_buffer<Map>(c, r);
  check_batch<Map>(c, r);
  r.within(c.truncate, 0, hw::limits<Map>::convolution::clip_truncate, "CACC's truncation");
}

// The rules of SDP, of PDP and of the host's layers.

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
  check_winograd(s, r);
  check_batch(s, r);
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
