// SPDX-License-Identifier: Apache-2.0
#pragma once
// The firmware's descriptors of hardware layers: one element of the operation list and of the
// surface list for each, encoded and decoded.
#include <nvdlac/emit/descriptor_cdp.hpp>
#include <nvdlac/emit/descriptor_convolution.hpp>
#include <nvdlac/emit/descriptor_host.hpp>
#include <nvdlac/emit/descriptor_pdp.hpp>
#include <nvdlac/emit/descriptor_rubik.hpp>
#include <nvdlac/emit/descriptor_sdp.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>

namespace nvdlac::emit {

using plan::engine_of;

// Calls f with every surface in memory (or on the fly) that the layer names.
template <class Layer, class F>
constexpr void for_each_surface(Layer& l, F&& f) {
  std::visit([&](auto& what) {
    using type = std::remove_cvref_t<decltype(what)>;
    if constexpr (std::is_same_v<type, layer::host_call>)
      for (auto& cube : what.inputs()) f(cube);
    else f(what.input);
    if constexpr (std::is_same_v<type, layer::convolution>) {
      f(what.weights);
    } else {
      f(what.output);
    }
    if constexpr (std::is_same_v<type, layer::sdp>) {
      if (reads_memory(what.x1)) f(what.x1.operands);
      if (reads_memory(what.x2)) f(what.x2.operands);
    }
  }, l);
}

// Appends an element to the operation list and one to the surface list.
constexpr void encode(const layer::any& l, bytes atom, std::vector<std::uint8_t>& operations,
                   std::vector<std::uint8_t>& surfaces) {
  const auto append = [&](const auto& d) {
    write_record(operations, d.op, firmware::operation_bytes);
    write_record(surfaces, d.surface, firmware::surface_bytes);
  };
  if (const auto* c = std::get_if<layer::convolution>(&l)) append(encode(*c, atom));
  if (const auto* s = std::get_if<layer::sdp>(&l)) append(encode(*s, atom));
  if (const auto* p = std::get_if<layer::pdp>(&l)) append(encode(*p));
  if (const auto* n = std::get_if<layer::cdp>(&l)) append(encode(*n));
  if (const auto* r = std::get_if<layer::rubik>(&l)) append(encode(*r));
}

// Element `index` of both lists, of the engine `type`. What cannot be decoded is an `error` that
// names the operation and the field.
inline layer::any decode(unsigned type, std::span<const std::uint8_t> operations,
                         std::span<const std::uint8_t> surfaces, std::size_t index) {
  const auto of = [&]<class Descriptor>(Descriptor d) -> layer::any {
    d.op = read_record<decltype(d.op)>(operations, index, firmware::operation_bytes);
    d.surface = read_record<decltype(d.surface)>(surfaces, index, firmware::surface_bytes);
    return decode(d);
  };
  try {
    switch (static_cast<plan::engine>(type)) {
      case plan::engine::convolution: return of(convolution_descriptor{});
      case plan::engine::sdp: return of(sdp_descriptor{});
      case plan::engine::pdp: return of(pdp_descriptor{});
      case plan::engine::cdp: return of(cdp_descriptor{});
      case plan::engine::rubik: return of(rubik_descriptor{});
      default: throw error(text("the operation type ", type, " is not supported"));
    }
  } catch (const error& e) {
    throw error(problem{.layer = text("operation ", index), .reason = e.problems().front().reason});
  }
}

constexpr firmware::consumer encode(const plan::link& l) {
  return {l.operation, static_cast<std::uint8_t>(l.event)};
}

// Appends an element to the dependency graph.
constexpr void encode_dependencies(const plan::operation& op, std::size_t index,
                                std::vector<std::uint8_t>& graph) {
  firmware::common c;
  c.index = narrow<std::int16_t>(index, "common.index");
  c.op_type = static_cast<std::uint8_t>(engine_of(op.layer.what));
  c.dependency_count = op.dependency_count;
  for (std::size_t e = 0; e < plan::engines; ++e) c.consumers[e] = encode(op.consumers[e]);
  c.fused_parent = encode(op.fused_parent);
  write_record(graph, c, byte_size<firmware::common>());
}

}  // namespace nvdlac::emit
