// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records that a loadable keeps of layers that the host computes.
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/layer/host.hpp>

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

// Whether only nvdlac reads a buffer, so that it may have dimensions of more than 16 bits.
enum class reader_of_buffer : std::uint8_t { public_runtime, nvdlac };

// The runtime knows int8 cubes of 8 and of 32 channels beside each other. Softmax reads its
// channels one behind the other, and calls know the configuration: others do not need a format.
constexpr firmware::emulator_buffer encode_buffer(layer::surface s, bytes atom,
                                               std::string_view field,
                                               reader_of_buffer by) {
  constexpr std::int32_t half = 0xffff;
  firmware::emulator_buffer b;
  const auto lower = [&](std::int32_t& n) {
    const auto upper = by == reader_of_buffer::nvdlac ? n >> 16 : 0;
    if (by == reader_of_buffer::nvdlac) n &= half;
    return static_cast<std::uint16_t>(upper);
  };
  b.upper_width = lower(s.shape.w);
  b.upper_height = lower(s.shape.h);
  b.upper_channel = lower(s.shape.c);
  const auto c = emit::encode(s, field);
  const auto format = s.precision == hw::precision::fp16    ? firmware::emulator_format::fp16
                      : s.precision == hw::precision::int16 ? firmware::emulator_format::int16
                      : atom.n == 8                         ? firmware::emulator_format::int8_x8
                                                            : firmware::emulator_format::int8;
  b.address = c.address;
  b.offset = c.offset;
  b.size = c.size;
  b.format = static_cast<std::uint16_t>(format);
  b.width = c.width;
  b.height = c.height;
  b.channel = c.channel;
  b.line_stride = c.line_stride;
  b.surf_stride = c.surf_stride;
  return b;
}

layer::surface decode_buffer(const firmware::emulator_buffer& b, std::string_view field,
                             reader_of_buffer by);

}  // namespace detail

constexpr descriptor_of<layer::host_softmax> encode(const layer::host_softmax& l, bytes atom) {
  expect(l.input.precision != hw::precision::int16, "softmax.src_data", encode(l.input.precision),
         "the host's softmax takes int8 and fp16");
  descriptor_of<layer::host_softmax> d;
  d.op.op_type = static_cast<std::uint8_t>(firmware::emulator_op::softmax);
  d.op.input_scale = l.input_scale;
  d.op.output_scale = l.output_scale;
  d.op.axis = 1;
  using enum detail::reader_of_buffer;
  d.src = detail::encode_buffer(l.input, atom, "softmax.src_data", public_runtime);
  d.dst = detail::encode_buffer(l.output, atom, "softmax.dst_data", public_runtime);
  return d;
}

layer::host_softmax decode(const descriptor_of<layer::host_softmax>& d);

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
  using enum detail::reader_of_buffer;
  for (const auto& s : l.inputs())
    d.inputs.push_back(detail::encode_buffer(s, atom, "call.input", nvdlac));
  d.output = detail::encode_buffer(l.output, atom, "call.output", nvdlac);
  return d;
}

layer::host_call decode(const descriptor_of<layer::host_call>& d);

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/host_descriptor.ipp>
#endif
