// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that the host computes between those of the hardware. Tensors of fp16 have no scales.
#include <array>
#include <cstdint>
#include <span>

#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/on_host.hpp>

namespace nvdlac::layer {

// A softmax over the channels, int8 or fp16, as the emulator of the public runtime computes it.
struct host_softmax {
  layer::surface input{}, output{};
  float input_scale = 1, output_scale = 1;

  constexpr bool operator==(const host_softmax&) const = default;
};

// A call of a layer that the host has by name, of any precision.
struct host_call {
  std::int16_t call = 0;  // index into program::calls
  std::uint8_t input_count = 1;
  std::array<layer::surface, net::most_host_inputs> input_list{};
  layer::surface output{};
  std::array<double, net::most_host_inputs> input_scales{};  // real = scale * integer
  double output_scale = 1;

  constexpr std::span<const layer::surface> inputs() const { return {&input_list[0], input_count}; }
  constexpr std::span<layer::surface> inputs() { return {&input_list[0], input_count}; }
  constexpr bool operator==(const host_call&) const = default;
};

template <>
struct engine<host_softmax> {
  static constexpr const char* name = "host";
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

template <>
struct engine<host_call> {
  static constexpr const char* name = "host";
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    for (auto& cube : l.inputs()) visit(cube, access::read);
    visit(l.output, access::write);
  }
};

}  // namespace nvdlac::layer
