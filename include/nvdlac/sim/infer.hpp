// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/values.hpp>
#include <nvdlac/sim/runtime.hpp>

namespace nvdlac::sim {

// The network's real outputs for real inputs, in the order of the runtime's bindings: values are
// rounded to the input's numbers, and those of the output count as many times the output's.
template <hw::hardware Hw>
std::vector<net::float_tensor> infer(runtime<Hw>& on, std::span<const net::float_tensor> inputs) {
  if (inputs.size() != on.inputs().size())
    throw error(text("the network has ", on.inputs().size(), " inputs, not ", inputs.size()));
  std::vector<net::integer::feed> fed;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& b = on.inputs()[i];
    if (inputs[i].shape != b.shape || inputs[i].values.size() != b.shape.size())
      throw error({.layer = b.name, .reason = text("takes ", b.shape, ", not ", inputs[i].shape,
                                                   " with ", inputs[i].values.size(), " values")});
    fed.push_back(net::integer::feed_of(
        quant::numbers_of(inputs[i], b.scale, b.surface.precision)));
  }
  std::vector<net::float_tensor> result;
  for (const auto& t : on.infer_any(fed))
    result.push_back(quant::real_of(t, on.outputs()[result.size()].scale));
  return result;
}

}  // namespace nvdlac::sim
