// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is told of operators that are not understood: each type once, and the part without them.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/onnx/node.hpp>
#include <nvdlac/import/onnx/operators.hpp>

namespace nvdlac::import::onnx_format {

// Nodes whose operator is not known, or known for constants only, told together by their operator.
class unsupported_nodes {
 public:
  explicit unsupported_nodes(const operator_table& known) : known_(known) {}

  void add(const node& n) { names_[n.type()].push_back(n.name()); }

  // The problems since the last call; the first of all tells `cut` and what is supported.
  std::vector<problem> take(const std::function<std::string()>& cut) {
    std::vector<problem> found;
    for (const auto& [type, names] : std::exchange(names_, {})) {
      const auto many = text(" (", names.size(), names.size() == 1 ? " node)" : " nodes)");
      problem p{.layer = names.front()};
      p.reason = text("the operator ", type, known_.contains(type)
                                                 ? " is supported for constants only"
                                                 : " is not supported", many);
      if (!std::exchange(listed_, true)) {
        p.remedy = cut();
        p.remedy += (p.remedy.empty() ? "" : "; ") +
                    ("supported are " + supported_operators(known_));
      }
      if (!own_domain(type).empty())
        p.remedy += text(p.remedy.empty() ? "" : "; ",
                         "an operator of your own is one of those that the importer is given: "
                         "import::network_with<..>, nvdlac_add_cli(.. OPERATOR ..)");
      found.push_back(std::move(p));
    }
    return found;
  }

 private:
  const operator_table& known_;
  std::map<std::string, std::vector<std::string>> names_{};
  bool listed_ = false;
};

// The options that name the largest part without refused nodes of a graph; see cut_around.
// `is_stored`: whether a tensor is one of the file's constants.
inline std::string cut_around_refused(const std::vector<node>& nodes,
                                      const std::vector<std::string>& outputs,
                                      const operator_table& known,
                                      const std::function<bool(const std::string&)>& is_stored) {
  const std::set<std::string> of_network(outputs.begin(), outputs.end());
  std::map<std::string, cut_port> from;
  std::set<std::string> names;
  std::vector<cut_node> all(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& given = nodes[n].outputs();
    const bool alone = given.size() == 1 && names.insert(nodes[n].name()).second;
    for (std::size_t o = 0; o < given.size(); ++o) {
      if (!given[o].empty()) from.emplace(given[o], cut_port{n, o});
      all[n].outputs.push_back(alone ? nodes[n].name() : given[o]);
      all[n].of_network.push_back(of_network.contains(given[o]));
    }
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& type = nodes[n].type();
    const auto is_known = [&](const std::string& i) {
      const auto f = from.find(i);
      return i.empty() || (f == from.end() ? is_stored(i) : all[f->second.node].constant);
    };
    const auto inner = nodes[n].captured();
    all[n].constant = type == "Shape" || type == "Size" ||
                      (std::ranges::all_of(nodes[n].inputs(), is_known) && inner.empty());
    const auto entry = known.find(type);
    all[n].refused = entry == known.end() || (entry->second.of_constants && !all[n].constant);
    for (const auto* list : {&nodes[n].inputs(), &inner})
      for (const auto& i : *list)
        if (const auto f = from.find(i); f != from.end()) all[n].inputs.push_back(f->second);
  }
  return cut_around(all);
}

}  // namespace nvdlac::import::onnx_format
