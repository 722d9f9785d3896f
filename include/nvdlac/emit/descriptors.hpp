// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptors of hardware layers: one element of the operation list and of the
// surface list for each, encoded and decoded.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/cdp_descriptor.hpp>
#include <nvdlac/emit/convolution_descriptor.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/host_descriptor.hpp>
#include <nvdlac/emit/lut_descriptor.hpp>
#include <nvdlac/emit/pdp_descriptor.hpp>
#include <nvdlac/emit/rubik_descriptor.hpp>
#include <nvdlac/emit/sdp_descriptor.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

// Appends an element to the operation list and one to the surface list.
constexpr void encode(const layer::any& l, bytes atom, std::vector<std::uint8_t>& operations,
                      std::vector<std::uint8_t>& surfaces) {
  nvdlac::visit([&]<class Layer>(const Layer& what) {
    if constexpr (layer::on_engine<Layer>) {
      const descriptor_of<Layer> d = encode(what, atom);
      write_record(operations, d.op, firmware::operation_bytes);
      write_record(surfaces, d.surface, firmware::surface_bytes);
    } else {
      throw error("a layer of the host in a task of the hardware");
    }
  }, l);
}

// Appends an operation of the host to the emulator's list, and its buffers to theirs.
constexpr void encode_host(const layer::any& l, bytes atom, std::vector<std::uint8_t>& operations,
                           std::vector<std::uint8_t>& buffers) {
  nvdlac::visit([&]<class Layer>(const Layer& what) {
    if constexpr (layer::on_engine<Layer>) {
      throw error("a hardware layer in a task of the host");
    } else {
      const descriptor_of<Layer> d = encode(what, atom);
      write_record(operations, d.op, firmware::emulator_operation_bytes);
      d.each_buffer([&](const firmware::emulator_buffer& b) {
        write_record(buffers, b, firmware::emulator_buffer_bytes);
      });
    }
  }, l);
}

// Element `index` of both lists, of the engine `type`. What cannot be decoded is an `error` that
// names the operation and the field.
layer::any decode(unsigned type, std::span<const std::uint8_t> operations,
                  std::span<const std::uint8_t> surfaces, std::size_t index);

constexpr firmware::consumer encode(const plan::link& l) {
  return {l.operation, static_cast<std::uint8_t>(l.event)};
}

// Appends an element to the dependency graph.
constexpr void encode_dependencies(const plan::operation& op, std::size_t index,
                                   std::vector<std::uint8_t>& graph) {
  firmware::common c;
  c.index = narrow<std::int16_t>(index, "common.index");
  c.op_type = static_cast<std::uint8_t>(layer::engine_of(op.layer.what));
  c.dependency_count = op.dependency_count;
  for (std::size_t e = 0; e < plan::engines; ++e) c.consumers[e] = encode(op.consumers[e]);
  c.fused_parent = encode(op.fused_parent);
  write_record(graph, c, byte_size<firmware::common>());
}

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/descriptors.ipp>
#endif
