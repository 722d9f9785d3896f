// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/import/own_graph.hpp>
#include <nvdlac/import/packing.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/work.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::import {

// Returns the description, as in the file, of a tensor with its elements in the order of a cube.
net::file_tensor in_file(const std::string& name, const std::vector<std::int64_t>& shape);
// Returns the description of a tensor [1, height, width, channels] instead.
net::file_tensor channels_last_in_file(const std::string& name, const net::shape& cube);
// The tensor [1, height, width, channels] of the same elements as `first`, [1, channels, height,
// width], which a cube holds in some order.
net::file_tensor channels_last_in_file(net::file_tensor first, const net::shape& cube);

// Gives the outputs of the file that a node holds their names there, by their places. The states
// of recurrent layers, which stand behind them, have no name in the file and keep their own.
void name_outputs(net::graph::node& n, std::span<const std::string> names);

// A graph under construction, where each node's shape is known and its weights are checked when it
// is added. Importers need the shapes on the way: a file may reshape relative to them.
class assembly {
 public:
  using id = net::graph::id;

  assembly(std::string file, diagnostics& problems, const budget& limits)
      : file_(std::move(file)), problems_(problems), limits_(limits) {}

  const std::string& file() const { return file_; }
  const budget& limits() const { return limits_; }
  const net::shape& shape(id n) const { return graph_[n].shape; }
  const std::string& name(id n) const { return graph_[n].name; }
  // The multiplications and comparisons of all nodes.
  std::uint64_t operations() const { return operations_; }

  // Throws `error` with the bare reason if the operator does not accept its inputs; problems of
  // its weights are collected, unless they are known to be wrong already (`checked`).
  template <class Op>
  id add(const std::string& layer, Op op, const std::vector<id>& inputs, std::size_t line = 0,
         bool checked = true) {
    std::vector<net::shape> shapes;
    for (const id n : inputs) shapes.push_back(graph_[n].shape);
    const std::span<const net::shape> in(shapes);
    check_name(layer);
    if (!Op::inputs.contains(in.size()))
      throw error(text("it has ", count_of(in.size(), "input"), " instead of ", Op::inputs.least));
    const net::shape out = op.infer(in);
    spend(pass::work_of(op, in, out, limits_.parts), weights_of(op), out);
    if constexpr (requires(diagnostics& found) { op.check(in, found, layer); }) {
      diagnostics found;
      if (checked && !may_be_mask(op)) op.check(in, found, layer);
      for (problem p : found.problems()) {
        p.file = file_;
        p.line = line;
        problems_.add(std::move(p));
      }
    }
    const id n = graph_.add(unique(layer), net::on_host{}, inputs);
    if constexpr (contains<Op, net::graph::operators>) graph_[n].op = std::move(op);
    else own_.emplace(n, std::move(op));
    graph_[n].shape = out;
    if constexpr (contains<Op, net::graph::operators>)
      if (checked && may_be_mask(std::get<Op>(graph_[n].op))) masks_.emplace_back(n, line);
    return n;
  }

  // Notes the tensor of the file that an input is.
  void mark_input(id n, net::file_tensor form) { graph_[n].in_file = {std::move(form)}; }
  // An input that is left out where no output depends on it, as in a part of the file.
  void leave_out_unread(id input) { may_be_unread_.insert(input); }
  // The next output of the file. One that is an input is a copy of it.
  void mark_output(id n, net::file_tensor form);

  // Gives n the name of another node, whose own gets a suffix.
  void take_name(id n, id from, const std::string& suffix);

  const net::graph& graph() const { return graph_; }

  // Notes the scale of a tensor's int8 values, from `low` on, as the file tells it, and the bits of
  // its integers there; the first word counts. Returns the scale that does.
  double note_scale(id n, double scale, double low, double high, int bits) {
    return scales_.emplace(n, noted{scale, low, high, bits}).first->second.scale;
  }
  // Notes for n what the file says of `from`: the values of n are among those of `from`.
  void share_scale(id n, id from) {
    if (const auto of = scales_.find(from); of != scales_.end()) scales_.emplace(n, of->second);
  }
  // Notes that n gives the elements of a tensor that the file names, in whatever order.
  void note_tensor(id n, std::string name) { named_.emplace_back(n, std::move(name)); }
  // How the file would have bytes become the values of an input; nothing if it has no bytes for it.
  // Readers of an input that do not agree leave nothing.
  void note_bytes(id n, const std::optional<net::preprocessing>& how);
  // The preprocessing of the finished graph, if it is the same for all inputs.
  const std::optional<net::preprocessing>& preprocessing() const { return preprocessing_; }

  // The scales that were noted for the nodes of the finished graph, in its order.
  const quant::scale_table& scales() const { return table_; }

  // The tensors of the finished graph that the file quantises, in its order.
  const std::vector<quant::quantised_tensor>& quantised() const { return quantised_; }
  // The tensors that were noted and whose names no layer of the finished graph has, in the order of
  // the file.
  const std::vector<quant::named_tensor>& tensors() const { return tensors_; }

  // The elements of the finished graph that become channels between its layers, or were some.
  std::uint64_t turned() const { return turned_; }

  // The graph without the nodes that no output needs, inputs excepted; with operators of the user's
  // own it is one that holds them.
  template <class Graph = net::graph>
  Graph finish() {
    raise_masks();
    problems_.check();
    pack_inputs();
    order_outputs();
    join_products();
    const std::vector<bool> needed = needed_nodes();
    turned_ = turned_elements(graph_, needed);
    for (id n = 0; n < graph_.size(); ++n)
      if (!needed[n] && std::holds_alternative<net::input>(graph_[n].op) &&
          !may_be_unread_.contains(n))
        problems_.add({.file = file_, .layer = graph_[n].name,
                       .reason = "no output depends on this input",
                       .remedy = "remove it from the network"});
    problems_.check();
    for (const auto& [n, of] : scales_) {
      if (!needed[n]) continue;
      table_.entries.push_back({graph_[n].name, of.scale});
      table_.entries.back().note_ends(of.low, of.high);
      quantised_.push_back({graph_[n].name, of.bits});
    }
    name_tensors(needed);
    preprocessing_ = common_preprocessing(needed);
    auto whole = widened<Graph>(std::move(graph_), std::move(own_));
    if (std::find(needed.begin(), needed.end(), false) == needed.end()) return whole;
    return std::move(whole).filtered([&](id n) { return needed[n]; });
  }

 private:
  static void check_name(std::string_view name);

  // Throws before the network becomes larger than any that is meant.
  void spend(const pass::work& w, std::uint64_t weights, net::shape out);
  // The number of weights that the node keeps: many may have copies of what the file holds once.
  template <class Op>
  static std::uint64_t weights_of(const Op& op) {
    if constexpr (requires { op.weights.size(); }) return op.weights.size();
    else if constexpr (std::is_same_v<Op, net::constant>) return op.value.values.size();
    else return 0;
  }
  // Names of nodes are unique in a graph; a second node of one name gets a number.
  std::string unique(const std::string& layer);

  // The nodes that some output needs.
  std::vector<bool> needed_nodes() const;
  void name_tensors(const std::vector<bool>& needed);
  // Leaves to the host what moves elements of inputs, whose scales are then those behind it, and
  // blocks of samples that become channels.
  void pack_inputs();
  // Leaves the order of outputs that are a selection of elements to whoever reads them.
  void order_outputs();
  // Raises what masks take from what softmaxes read, and looks at what is infinite all the same.
  void raise_masks();
  // Whether an operator adds minus infinity, which is known to be a mask, or none, when all that
  // reads it is there.
  template <class Op>
  static bool may_be_mask(const Op& op) {
    constexpr auto lowest = -std::numeric_limits<float>::infinity();
    if constexpr (std::is_same_v<Op, net::constant>)
      return std::ranges::find(op.value.values, lowest) != op.value.values.end();
    else if constexpr (std::is_same_v<Op, net::scale>)
      return std::ranges::find(op.bias, lowest) != op.bias.end();
    else return false;
  }
  // Lets the host write products of matrices where they are read.
  void join_products();

  std::optional<net::preprocessing> common_preprocessing(const std::vector<bool>& needed) const;

  std::string file_;
  diagnostics& problems_;
  budget limits_;
  net::graph graph_;
  own_by_node own_{};
  std::set<std::string> taken_;
  std::map<std::string, int> names_;  // as layers have them: the last number that was tried
  std::uint64_t weights_ = 0, elements_ = 0, operations_ = 0;  // of all nodes
  std::uint64_t turned_ = 0;
  std::int32_t outputs_ = 0;
  struct noted {
    double scale, low, high;
    int bits;
  };
  std::map<id, noted> scales_;
  std::vector<std::pair<id, std::string>> named_;  // tensors
  std::map<id, std::optional<net::preprocessing>> bytes_;
  std::set<id> may_be_unread_;
  std::vector<std::pair<id, std::size_t>> masks_;  // and their lines in the file
  std::optional<net::preprocessing> preprocessing_{};
  quant::scale_table table_{.method = "the model's own"};
  std::vector<quant::quantised_tensor> quantised_{};
  std::vector<quant::named_tensor> tensors_{};
};

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/assembly.ipp>
#endif
