// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/host_descriptor.hpp>
#include <nvdlac/layer/host.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL layer::surface decode_buffer(const firmware::emulator_buffer& b, std::string_view field,
                                         reader_of_buffer by) {
  const auto format = static_cast<firmware::emulator_format>(b.format);
  const auto precision = format == firmware::emulator_format::fp16    ? hw::precision::fp16
                         : format == firmware::emulator_format::int16 ? hw::precision::int16
                                                                      : hw::precision::int8;
  expect(precision != hw::precision::int8 || format == firmware::emulator_format::int8 ||
             format == firmware::emulator_format::int8_x8,
         field, b.format, "only int8, int16 and fp16 are supported");
  const auto whole = [&](std::uint16_t upper, std::uint16_t lower) {
    const auto n = by == reader_of_buffer::nvdlac ? std::uint32_t{upper} << 16 | lower : lower;
    expect(n > 0, field, 0, "the cube is empty");
    return narrow<std::int32_t>(n, field);
  };
  expect(b.address >= 0, field, b.address, "a cube in memory needs an address");
  const net::shape shape{whole(b.upper_channel, b.channel), whole(b.upper_height, b.height),
                         whole(b.upper_width, b.width)};
  return {{b.address, b.offset}, shape, b.line_stride, b.surf_stride, b.size, precision};
}

}  // namespace detail

NVDLAC_IMPL layer::host_softmax decode(const descriptor_of<layer::host_softmax>& d) {
  expect(d.op.op_type == static_cast<std::uint8_t>(firmware::emulator_op::softmax),
         "emulator.op_type", d.op.op_type, "only softmax is supported");
  layer::host_softmax l;
  using enum detail::reader_of_buffer;
  l.input = detail::decode_buffer(d.src, "softmax.src_data", public_runtime);
  expect(l.input.precision != hw::precision::int16, "softmax.src_data", d.src.format,
         "the host's softmax takes int8 and fp16");
  l.output = detail::decode_buffer(d.dst, "softmax.dst_data", public_runtime);
  expect(l.input.precision == l.output.precision, "softmax.dst_data", d.dst.format,
         "the output's format is not the input's");
  expect(l.input.shape == l.output.shape, "softmax.dst_data", d.dst.channel,
         "the output's shape is not the input's");
  l.input_scale = d.op.input_scale;
  l.output_scale = d.op.output_scale;
  return l;
}

NVDLAC_IMPL layer::host_call decode(const descriptor_of<layer::host_call>& d) {
  layer::host_call l;
  using enum detail::reader_of_buffer;
  l.call = narrow<std::int16_t>(d.op.call, "call.call");
  l.input_count = static_cast<std::uint8_t>(d.inputs.size());
  for (std::size_t i = 0; i < d.inputs.size(); ++i)
    l.input_list[i] = detail::decode_buffer(d.inputs[i], "call.input", nvdlac);
  l.output = detail::decode_buffer(d.output, "call.output", nvdlac);
  return l;
}

}  // namespace nvdlac::emit
