// SPDX-License-Identifier: Apache-2.0
#pragma once
// A network's inputs and outputs as its file has them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/operators.hpp>

namespace in_file {

using namespace nvdlac;

struct value {
  std::string name{};
  std::vector<std::int64_t> shape{};
  std::vector<float> values{};
};

// The outputs of a graph, and the numbers of the nodes among its outputs.
inline std::vector<net::file_output> forms(const net::graph& g) {
  const auto nodes = g.outputs();
  return net::outputs_of_file(nodes.size(),
                              [&](std::size_t i) -> const auto& { return g[nodes[i]]; });
}

// The values that the float network gives for cubes.
inline std::vector<value> outputs(const net::graph& g, std::span<const net::float_tensor> cubes) {
  const auto values = net::evaluate(g, cubes);
  std::vector<value> result;
  for (const auto& o : forms(g))
    result.push_back({std::string(o.form.name), {o.form.shape.begin(), o.form.shape.end()},
                      o.gathered<float>(
                          [&](std::size_t i) -> const auto& { return values[i].values; })});
  return result;
}
inline std::vector<value> outputs(const net::graph& g, const net::float_tensor& cube) {
  return outputs(g, std::span(&cube, 1));
}

}  // namespace in_file
