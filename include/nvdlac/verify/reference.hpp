// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::verification {

// The outputs of `g` for these inputs, with the shapes and in the order of the model's file.
template <class Graph>
std::vector<data::array> outputs_in_file(const Graph& g,
                                         std::span<const net::float_tensor> inputs) {
  const auto values = net::evaluate(g, inputs);
  const auto nodes = g.outputs();
  std::vector<data::array> result;
  for (const auto& o : net::outputs_of_file(
           nodes.size(), [&](std::size_t i) -> const auto& { return g[nodes[i]]; }))
    result.push_back({{o.form.shape.begin(), o.form.shape.end()},
                      o.template gathered<float>(
                          [&](std::size_t i) -> const auto& { return values.at(i).values; })});
  return result;
}

}  // namespace nvdlac::verification
