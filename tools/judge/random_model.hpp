// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random ONNX models of the forms that people write: blocks of convolutions with their functions,
// residual sums, branches that are concatenated, heads, decoders, what exporters make of views and
// permutations; with several inputs and outputs, and in numbers of 8 bits with scales of their own.
#include <cstdint>
#include <vector>

#include "onnx.hpp"

namespace nvdlac::judge {

struct model_limits {
  int blocks = 5;      // at most
  int channels = 24;   // of a tensor, about
  int side = 14;       // height and width of an input
  bool orders = false;    // mostly blocks that move elements: tokens, reductions, slices
  bool quantised = true;  // some have QuantizeLinear and DequantizeLinear around each layer
};

// A model for a seed, the same on every machine. Values stay near 1 for inputs from -1 to 1.
model random_model(std::uint64_t seed, const model_limits& = {});

// The values of an input, from -1 to 1, in the order of the file; in some of them only a few differ
// from 0, or all are positive.
std::vector<float> random_values(const dims& shape, std::uint64_t seed);

}  // namespace nvdlac::judge
