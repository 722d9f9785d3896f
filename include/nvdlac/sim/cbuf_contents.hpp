// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace nvdlac::sim {

// One input in the CBUF: [y][x][channel], without padding; for Winograd the extended input of the
// extended channels, with it.
struct cbuf_input {
  std::vector<std::int8_t> data;     // int8
  std::vector<std::int16_t> data16;  // int16, or the bits of fp16
};

// What CSC reads of the CBUF in one layer: the input of one batch and the weights, not compressed,
// elements of 1 or 2 bytes.
struct cbuf_contents : cbuf_input {
  std::vector<std::uint8_t> weights;
  std::uint32_t width = 0, height = 0, channels = 0;
};

}  // namespace nvdlac::sim
