// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the nodes that an output needs read a tensor.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/node.hpp>
#include <nvdlac/import/onnx/operators.hpp>

namespace nvdlac::import::onnx_format {

// The readers of every tensor; the nodes outlive it.
class tensor_readers {
 public:
  tensor_readers() = default;
  tensor_readers(const std::vector<node>& nodes, const std::vector<bool>& live) : nodes_(&nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (live[i])
        for (const auto& name : nodes[i].inputs()) by_name_[name].push_back(i);
  }

  // Ascending; a node that reads it twice is there twice.
  const std::vector<std::size_t>& of(const std::string& name) const {
    static const std::vector<std::size_t> none;
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? none : found->second;
  }

  // Whether operators that know its scale read an input of integers: then it is real numbers here.
  bool is_dequantised_first(const std::string& name) const {
    return std::ranges::all_of(of(name), [&](std::size_t i) {
      const auto type = (*nodes_)[i].type();
      return is_of_integers(type) && !type.ends_with("Integer");
    });
  }

  // Whether a picture with channels last is only read through Transpose, maybe behind some steps.
  bool has_channels_last(const std::string& name) const {
    static const std::set<std::string> through = {"Cast", "CastLike", "Identity",
                                                "Add",  "Sub",      "Mul", "Div"};
    std::vector<std::string> open{name};
    std::set<std::string> seen{name};
    while (!open.empty()) {
      const auto& all = of(std::exchange(open.back(), {}));
      open.pop_back();
      if (all.empty()) return false;
      for (const auto i : all) {
        const node& n = (*nodes_)[i];
        if (n.type() == "Transpose") {
          if (!turns_around(n)) return false;
        } else if (!through.contains(n.type()) || n.outputs().size() != 1) {
          return false;
        } else if (seen.insert(n.outputs()[0]).second) {
          open.push_back(n.outputs()[0]);
        }
      }
    }
    return true;
  }

 private:
  static bool turns_around(const node& n) {
    try {
      return n.integers("perm") == dims{0, 3, 1, 2};
    } catch (const error&) {
      return false;
    }
  }

  const std::vector<node>* nodes_ = nullptr;
  std::map<std::string, std::vector<std::size_t>> by_name_{};
};

}  // namespace nvdlac::import::onnx_format
