// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string>
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
  // An output as it was computed: a graph of the user's own may have no shapes yet.
  struct computed {
    const std::string& name;
    net::shape shape{};
    const std::vector<net::file_tensor>& in_file;
  };
  const auto values = net::evaluate(g, inputs);
  const auto nodes = g.outputs();
  std::vector<data::array> result;
  for (const auto& o : net::outputs_of_file(nodes.size(), [&](std::size_t i) {
         return computed{g[nodes[i]].name, values.at(i).shape, g[nodes[i]].in_file};
       }))
    result.push_back({{o.form.shape.begin(), o.form.shape.end()},
                      o.template gathered<float>(
                          [&](std::size_t i) -> const auto& { return values.at(i).values; })});
  return result;
}

}  // namespace nvdlac::verification
