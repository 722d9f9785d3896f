// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions that a model defines itself: a call becomes the nodes of its body before the model is
// cut or read, so that these are layers like all others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/operators.hpp>

namespace nvdlac::import::onnx_format {

// The largest size of a body, before anything is made of it. The sums stop far above all limits.
struct extent {
  std::uint64_t nodes = 0, bytes = 0, strings = 0, depth = 0;

  void add(const extent& e);
};

class function_expander {
 public:
  // A function whose operator is `known` is not expanded: the operator means the same.
  function_expander(const std::string& file, hub::model& model, const operator_table& known,
                    const budget& limits)
      : file_(file), model_(model), known_(known), limits_(limits) {}

  // The graph that is left calls nothing, and its nodes tell the versions of their operators. All
  // problems are in one error.
  void expand();

 private:
  using values = std::map<std::string, std::shared_ptr<const hub::attribute_value>>;

  struct function {
    const hub::function* body;
    std::string name{};
    std::shared_ptr<const versions> imports{};
    extent size{};
    enum { unknown, open, known } state = unknown;
  };
  // Where a node stands: in the graph, or in the body of a call.
  struct scope {
    std::shared_ptr<const versions> imports{};
    const function* callee = nullptr;              // null: the graph itself
    std::string prefix{};                          // of the names of the body's nodes
    std::map<std::string, std::string> tensors{};  // by their names in the body
    values given{};                                // the function's attributes; null: left out
  };

  std::vector<hub::node>& nodes() const { return model_.graph->nodes; }
  static std::string domain_of(const std::string& domain);
  void complain(const std::string& layer, const error& e);

  void read_functions();

  // The function that a node calls, if any.
  function* called(const hub::node& n);

  // The size of what a body becomes. Calls within calls are few in sensible models, and the stack
  // of this program is bounded.
  extent measured(function& f, std::size_t level);
  extent measured_nodes(const std::vector<hub::node>& body, std::size_t level);
  static void require_depth(std::uint64_t depth);

  std::uint64_t longest_name() const;

  // Names grow with each call, and what a body holds is there for each.
  void measure_graph() try {
    extent all;
    for (const auto& n : nodes()) {
      all.add({.nodes = 1});
      if (auto* f = called(n)) all.add(measured(*f, 1));
    }
    require_depth(all.depth);
    require_within(&budget::nodes, all.nodes, limits_);
    const auto longest = (all.depth + 1) * (longest_name() + 1);
    const double bytes = static_cast<double>(all.bytes) +
                         static_cast<double>(all.strings) * static_cast<double>(longest);
    require_within(&budget::weights, static_cast<std::uint64_t>(std::min(bytes / 4, 1e18)),
                   limits_);
  } catch (const error& e) {
    complain("", e);
  }

  // The names of the graph's tensors, which those of the bodies must not have.
  void take_names();
  std::string fresh(const std::string& wanted);

  // Appends what a node becomes.
  void append(const hub::node& n, const scope& in);

  // The tensor that a name in a body stands for.
  static std::string tensor(const std::string& name, const scope& in);

  // The attributes of a node, those that refer to the function's own replaced; one that is left
  // out where the function is called is left out here.
  static std::vector<hub::attribute> attributes_of(const hub::node& n, const scope& in);

  void append_call(const hub::node& n, const function& f, const scope& outside);
  std::string fresh_prefix(const std::string& call);

  void bind_attributes(const hub::node& n, scope& in, const scope& outside);
  // Binds the inputs; those that are left out at the end are left out in the body.
  void bind_inputs(const hub::node& n, scope& in, const scope& outside);
  // Gives all that the body makes its name. An output that is an input, or another output, has to
  // be copied: (name in the body, name outside).
  std::vector<std::pair<std::string, std::string>> bind_outputs(const hub::node& n, scope& in,
                                                                const scope& outside);

  using key = std::tuple<std::string, std::string, std::string>;

  std::string file_;
  hub::model& model_;
  const operator_table& known_;
  budget limits_;
  std::vector<hub::node> made_{};
  std::map<key, function> functions_{};
  std::map<std::string, std::uint64_t> taken_{}, calls_{};
  diagnostics problems_{};
};

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/functions.ipp>
#endif
