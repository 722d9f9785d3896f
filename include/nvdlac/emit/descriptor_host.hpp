// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/emit/descriptor_cube.hpp>
#include <nvdlac/layer/host.hpp>

namespace nvdlac::emit {

struct softmax_descriptor {
  firmware::emulator_softmax op{};
  firmware::emulator_buffer src{}, dst{};
};

namespace detail {

// The runtime knows feature cubes of 8 and of 32 channels; a softmax reads its channels one behind
// the other, so that the format matters for others only.
constexpr firmware::emulator_buffer encode_buffer(const layer::surface& s, bytes atom,
                                               std::string_view field) {
  const auto c = emit::encode(s, field);
  expect(s.precision != hw::precision::int16, field, encode(s.precision),
         "the host's softmax takes int8 and fp16");
  const auto format = s.precision == hw::precision::fp16 ? firmware::emulator_format::fp16
                      : atom.n == 8                      ? firmware::emulator_format::int8_x8
                                                         : firmware::emulator_format::int8;
  return {c.address, c.offset, c.size,        static_cast<std::uint16_t>(format), c.width,
          c.height,  c.channel, c.line_stride, c.surf_stride};
}

inline layer::surface decode_buffer(const firmware::emulator_buffer& b, std::string_view field) {
  const auto format = static_cast<firmware::emulator_format>(b.format);
  const bool real = format == firmware::emulator_format::fp16;
  expect(real || format == firmware::emulator_format::int8 ||
             format == firmware::emulator_format::int8_x8,
         field, b.format, "only int8 and fp16 are supported");
  firmware::cube c;
  c.address = b.address;
  c.offset = b.offset;
  c.size = b.size;
  c.width = b.width;
  c.height = b.height;
  c.channel = b.channel;
  c.line_stride = b.line_stride;
  c.surf_stride = b.surf_stride;
  return emit::decode(c, field, real ? hw::precision::fp16 : hw::precision::int8);
}

}  // namespace detail

constexpr softmax_descriptor encode(const layer::host_softmax& l, bytes atom) {
  softmax_descriptor d;
  d.op.op_type = static_cast<std::uint8_t>(firmware::emulator_op::softmax);
  d.op.input_scale = l.input_scale;
  d.op.output_scale = l.output_scale;
  d.op.axis = 1;
  d.src = detail::encode_buffer(l.input, atom, "softmax.src_data");
  d.dst = detail::encode_buffer(l.output, atom, "softmax.dst_data");
  return d;
}

inline layer::host_softmax decode(const softmax_descriptor& d) {
  expect(d.op.op_type == static_cast<std::uint8_t>(firmware::emulator_op::softmax),
         "emulator.op_type", d.op.op_type, "only softmax is supported");
  layer::host_softmax l;
  l.input = detail::decode_buffer(d.src, "softmax.src_data");
  l.output = detail::decode_buffer(d.dst, "softmax.dst_data");
  expect(l.input.precision == l.output.precision, "softmax.dst_data", d.dst.format,
         "the output's format is not the input's");
  expect(l.input.shape == l.output.shape, "softmax.dst_data", d.dst.channel,
         "the output's shape is not the input's");
  l.input_scale = d.op.input_scale;
  l.output_scale = d.op.output_scale;
  return l;
}

}  // namespace nvdlac::emit
