// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/emit/descriptor_layers.hpp>
#include <nvdlac/layer/layer.hpp>

namespace nvdlac::emit {

template <>
struct descriptor_of<layer::host_softmax> {
  firmware::emulator_softmax op{};
  firmware::emulator_buffer src{}, dst{};

  constexpr void each_buffer(auto visit) const {
    visit(src);
    visit(dst);
  }
};

namespace detail {

// The runtime knows int8 cubes of 8 and of 32 channels beside each other. Softmax reads its
// channels one behind the other, and calls know the configuration: others do not need a format.
constexpr firmware::emulator_buffer encode_buffer(const layer::surface& s, bytes atom,
                                               std::string_view field) {
  const auto c = emit::encode(s, field);
  const auto format = s.precision == hw::precision::fp16    ? firmware::emulator_format::fp16
                      : s.precision == hw::precision::int16 ? firmware::emulator_format::int16
                      : atom.n == 8                         ? firmware::emulator_format::int8_x8
                                                            : firmware::emulator_format::int8;
  return {c.address, c.offset, c.size,        static_cast<std::uint16_t>(format), c.width,
          c.height,  c.channel, c.line_stride, c.surf_stride};
}

inline layer::surface decode_buffer(const firmware::emulator_buffer& b, std::string_view field) {
  const auto format = static_cast<firmware::emulator_format>(b.format);
  const auto precision = format == firmware::emulator_format::fp16    ? hw::precision::fp16
                         : format == firmware::emulator_format::int16 ? hw::precision::int16
                                                                      : hw::precision::int8;
  expect(precision != hw::precision::int8 || format == firmware::emulator_format::int8 ||
             format == firmware::emulator_format::int8_x8,
         field, b.format, "only int8, int16 and fp16 are supported");
  firmware::cube c;
  c.address = b.address;
  c.offset = b.offset;
  c.size = b.size;
  c.width = b.width;
  c.height = b.height;
  c.channel = b.channel;
  c.line_stride = b.line_stride;
  c.surf_stride = b.surf_stride;
  return emit::decode(c, field, precision);
}

}  // namespace detail

constexpr descriptor_of<layer::host_softmax> encode(const layer::host_softmax& l, bytes atom) {
  expect(l.input.precision != hw::precision::int16, "softmax.src_data", encode(l.input.precision),
         "the host's softmax takes int8 and fp16");
  descriptor_of<layer::host_softmax> d;
  d.op.op_type = static_cast<std::uint8_t>(firmware::emulator_op::softmax);
  d.op.input_scale = l.input_scale;
  d.op.output_scale = l.output_scale;
  d.op.axis = 1;
  d.src = detail::encode_buffer(l.input, atom, "softmax.src_data");
  d.dst = detail::encode_buffer(l.output, atom, "softmax.dst_data");
  return d;
}

inline layer::host_softmax decode(const descriptor_of<layer::host_softmax>& d) {
  expect(d.op.op_type == static_cast<std::uint8_t>(firmware::emulator_op::softmax),
         "emulator.op_type", d.op.op_type, "only softmax is supported");
  layer::host_softmax l;
  l.input = detail::decode_buffer(d.src, "softmax.src_data");
  expect(l.input.precision != hw::precision::int16, "softmax.src_data", d.src.format,
         "the host's softmax takes int8 and fp16");
  l.output = detail::decode_buffer(d.dst, "softmax.dst_data");
  expect(l.input.precision == l.output.precision, "softmax.dst_data", d.dst.format,
         "the output's format is not the input's");
  expect(l.input.shape == l.output.shape, "softmax.dst_data", d.dst.channel,
         "the output's shape is not the input's");
  l.input_scale = d.op.input_scale;
  l.output_scale = d.op.output_scale;
  return l;
}

// The scales and what is computed are in the notes.
template <>
struct descriptor_of<layer::host_call> {
  firmware::emulator_call op{};
  std::vector<firmware::emulator_buffer> inputs{};
  firmware::emulator_buffer output{};

  constexpr void each_buffer(auto visit) const {
    for (const auto& in : inputs) visit(in);
    visit(output);
  }
};

constexpr descriptor_of<layer::host_call> encode(const layer::host_call& l, bytes atom) {
  descriptor_of<layer::host_call> d;
  d.op.input_scale = static_cast<float>(l.input_scales[0]);
  d.op.output_scale = static_cast<float>(l.output_scale);
  d.op.call = static_cast<std::uint32_t>(l.call);
  d.op.inputs = l.input_count;
  for (const auto& s : l.inputs()) d.inputs.push_back(detail::encode_buffer(s, atom, "call.input"));
  d.output = detail::encode_buffer(l.output, atom, "call.output");
  return d;
}

inline layer::host_call decode(const descriptor_of<layer::host_call>& d) {
  layer::host_call l;
  l.call = narrow<std::int16_t>(d.op.call, "call.call");
  l.input_count = static_cast<std::uint8_t>(d.inputs.size());
  for (std::size_t i = 0; i < d.inputs.size(); ++i)
    l.input_list[i] = detail::decode_buffer(d.inputs[i], "call.input");
  l.output = detail::decode_buffer(d.output, "call.output");
  return l;
}

}  // namespace nvdlac::emit
