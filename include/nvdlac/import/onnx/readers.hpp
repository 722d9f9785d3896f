// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the nodes that an output needs read a tensor.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/import/onnx/node.hpp>
#include <nvdlac/import/onnx/operators.hpp>

namespace nvdlac::import::onnx_format {

inline std::vector<const node*> readers_of(const std::vector<node>& nodes,
                                           const std::vector<bool>& live, const std::string& name) {
  std::vector<const node*> found;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const auto& in = nodes[i].inputs();
        live[i] && std::find(in.begin(), in.end(), name) != in.end())
      found.push_back(&nodes[i]);
  return found;
}

// Whether operators that know its scale read an input of integers: then it is real numbers here.
inline bool is_dequantised_first(const std::vector<node>& nodes, const std::vector<bool>& live,
                                 const std::string& name) {
  const auto readers = readers_of(nodes, live, name);
  return std::all_of(readers.begin(), readers.end(), [](const node* n) {
    return is_of_integers(n->type()) && !n->type().ends_with("Integer");
  });
}

// Whether a picture with channels last is only read through Transpose, maybe behind some steps.
inline bool has_channels_last(const std::vector<node>& nodes, const std::vector<bool>& live,
                              const std::string& name, int depth) {
  static const std::set<std::string> through = {"Cast", "Identity", "Add", "Sub", "Mul", "Div"};
  const auto readers = readers_of(nodes, live, name);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const node* n) {
    if (n->type() != "Transpose")
      return depth > 0 && through.contains(n->type()) && n->outputs().size() == 1 &&
             has_channels_last(nodes, live, n->outputs()[0], depth - 1);
    try {
      return n->integers("perm") == dims{0, 3, 1, 2};
    } catch (const error&) {
      return false;
    }
  });
}

}  // namespace nvdlac::import::onnx_format
