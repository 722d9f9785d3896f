// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/layer/surface.hpp>

namespace nvdlac::layer {

// A softmax over the channels that the host computes, int8 or fp16; fp16 has no scales.
struct host_softmax {
  layer::surface input{}, output{};
  float input_scale = 1, output_scale = 1;

  constexpr bool operator==(const host_softmax&) const = default;
};

}  // namespace nvdlac::layer
