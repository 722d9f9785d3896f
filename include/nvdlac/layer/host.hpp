// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the host computes between layers of the hardware. Tensors of fp16 have no scales.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/host_layer.hpp>

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

template <class Layer>
concept computed_on_host = std::same_as<Layer, host_softmax> || std::same_as<Layer, host_call>;

}  // namespace nvdlac::layer
