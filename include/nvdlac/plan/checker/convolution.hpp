// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of CONV.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/plan/checker/batch.hpp>
#include <nvdlac/plan/checker/rules.hpp>
#include <nvdlac/plan/checker/winograd.hpp>

namespace nvdlac::plan::checker {

// CDMA's input: a feature cube or lines of pixels.
template <hw::register_map Map>
constexpr void check_input(const layer::convolution& c, rules r) {
  constexpr const auto& limits = hw::limits<Map>.convolution;
  r.size(c.input.shape, limits.width, limits.height, limits.channels, "the input");
  if (c.precision == hw::precision::int8) r.within(c.pad_value, -128, 127, "the padding value");
  r.expect(r.hw().data_types.has(c.precision), "the configuration does not have the data type");
  if (!c.is_pixel()) {
    r.cube(c.input, "the input");
    r.expect(!c.use_mean, "means are subtracted from pixels only");
    r.expect(c.kernel_lines == 1, "post-extension is for pixels only");
  } else {
    r.address(c.input, "the input");
    const auto layout = layer::layout_of(c.format);
    const auto numbers = layout ? layout->precision : hw::precision::int8;
    r.expect(c.input.precision == numbers, "pixels of ", hw::name_of(c.input.precision),
             " do not have the format ", static_cast<int>(c.format));
    r.expect(r.hw().data_types.has(numbers), "the configuration lacks the pixels' data type");
    r.expect(c.convert || numbers == c.precision, "nothing makes ", hw::name_of(c.precision),
             " of pixels of ", hw::name_of(numbers));
    const auto line = std::uint64_t(c.input.shape.w) * std::uint64_t(c.input.shape.c) *
                      hw::element_bytes(numbers);
    r.expect(c.input.line_stride % r.unit_of_addresses() == 0, "the pixels' line stride of ",
             c.input.line_stride, " is not a multiple of ", r.unit_of_addresses());
    r.expect(c.input.line_stride >= line, "the pixels' line stride of ", c.input.line_stride,
             " is less than a line of ", line, " bytes");
    r.expect(layout && c.input.shape.c == layout->channels, "pixels of ", c.input.shape.c,
             " channels do not have the format ", static_cast<int>(c.format));
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
  r.within(c.cvt.shift, 0, limits.input_shift, "the input converter's shift");
  r.expect(!c.use_mean || c.cvt.offset == 0, "means replace the input converter's offset of ",
           c.cvt.offset);
  r.within(c.cvt.offset, -32768, 32767, "the input converter's offset");
}

template <hw::register_map Map>
constexpr void check_window(const layer::convolution& c, rules r) {
  constexpr const auto& limits = hw::limits<Map>.convolution;
  if (c.winograd) return check_winograd<Map>(c, r);
  r.expect(c.input_truncate == 0, "it truncates what only Winograd's mode transforms");
  const auto& w = c.window;
  r.within(w.kernel_h, 1, limits.kernel_height, "the kernel's height");
  r.within(w.kernel_w, 1, limits.kernel_width, "the kernel's width");
  r.within(w.stride_h, 1, limits.stride, "the vertical stride");
  r.within(w.stride_w, 1, limits.stride, "the horizontal stride");
  r.within(w.dilation_h, 1, limits.dilation, "the vertical dilation");
  r.within(w.dilation_w, 1, limits.dilation, "the horizontal dilation");
  r.within(w.pad_left, 0, std::min<std::int64_t>(limits.pad_left, w.extent_w() - 1),
           "the left padding");
  r.within(w.pad_right, 0, std::min<std::int64_t>(limits.pad_right, w.extent_w() - 1),
           "the right padding");
  r.within(w.pad_top, 0, std::min<std::int64_t>(limits.pad_top, w.extent_h() - 1),
           "the top padding");
  r.within(w.pad_bottom, 0, std::min<std::int64_t>(limits.pad_bottom, w.extent_h() - 1),
           "the bottom padding");
  const net::shape in = c.input.shape, out = c.output;
  r.expect(slides_exactly(in.h, w.pad_top, w.pad_bottom, w.extent_h(), w.stride_h, out.h),
           "the output's height ", out.h, " does not follow from the input's ", in.h);
  r.expect(slides_exactly(in.w, w.pad_left, w.pad_right, w.extent_w(), w.stride_w, out.w),
           "the output's width ", out.w, " does not follow from the input's ", in.w);
  r.size(out, limits.width, limits.height, limits.kernels, "the output");
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
    std::uint64_t there = 0, stated = 0;
    for (auto i = g * of_group; i < std::min((g + 1) * of_group, elements); ++i)
      there += mask[static_cast<std::size_t>(i / 8)] >> i % 8 & 1;
    for (std::size_t b = 4; b-- > 0;) stated = stated * 256 + sizes[4 * g + b];
    r.expect(stated == there * element, "kernel group ", g, " is told to have ", stated,
             " bytes, but its mask has ", there, " elements");
    sum += stated;
    largest = std::max(largest, stated);
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
  constexpr const auto& limits = hw::limits<Map>.convolution;
  const hw::spec& hw = r.hw();
  const auto p = c.precision;
  const auto width = std::uint64_t(c.input.shape.w), channels = std::uint64_t(c.input.shape.c);
  const auto pads = std::uint64_t(c.window.pad_left) + std::uint64_t(c.window.pad_right);
  const entries slice = c.winograd ? entries{winograd_slice(c, hw)}
                        : c.is_pixel() ? hw::image_entries_per_slice(hw, p, width + pads, channels)
                                       : hw::feature_entries_per_slice(hw, p, width, channels);
  r.expect(slice.n == c.entries_per_slice, "a slice takes ", slice.n, " entries of the CBUF, not ",
           c.entries_per_slice);
  r.within(c.entries_per_slice, 1, limits.entries_per_slice, "the number of entries in a slice");
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
  r.within(static_cast<std::int64_t>(c.bytes_per_kernel()), 1, limits.kernel_bytes,
           "the bytes of a kernel");
  r.address(c.weights, "the weights' start");
  if (c.is_compressed()) check_compressed(c, r);
  else check_weights(c, r);
  r.within(c.fetch_grain, 1, limits.fetch_lines, "the lines fetched at once");
  r.within(c.release, 1, std::min<std::int64_t>(slices, limits.release_lines),
           "the number of released slices");
}

template <hw::register_map Map>
constexpr void check_layer(const layer::convolution& c, rules r) {
  check_input<Map>(c, r);
  check_window<Map>(c, r);
  check_buffer<Map>(c, r);
  check_batch<Map>(c, r);
  r.within(c.truncate, 0, hw::limits<Map>.convolution.clip_truncate, "CACC's truncation");
}

}  // namespace nvdlac::plan::checker
