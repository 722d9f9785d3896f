// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/batch.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/own_graph.hpp>
#include <nvdlac/quant/adopt.hpp>

namespace nvdlac::import::onnx_format {

// Converts the graph of one model.
class reader {
 public:
  // The bytes of the file tell how large its constants may become. The model, and the operators
  // that are understood, outlive the reader.
  reader(const std::string& file, const hub::model& model, std::size_t bytes,
         const budget& limits, const operator_table& known = operators());

  // Refusals propose a part of the file, by the names of its nodes, and tensors keep their names:
  // not where the model is another format's in ONNX's terms.
  void propose_parts() { proposes_ = true; }
  // States of recurrent layers become inputs and outputs, in the order of the layers.
  void open_states() { cubes_.open_states(); }

  // `Own`: the operators of the user's own among the known ones. Inputs stand with their last
  // dimension as channels, as tokens of features do, where fewer elements are turned then.
  template <class Own = type_list<>>
  basic_network<Own> read() {
    auto best = read_as_ordered<Own>();
    std::uint64_t turned = net_.turned();
    const auto attempt = [&](const std::set<std::string>& features) {
      if (turned == 0) return;
      reader other(file_, model_, bytes_, net_.limits(), known_);
      if (cubes_.opens_states()) other.open_states();
      other.proposes_ = proposes_;
      other.features_ = features;
      try {
        auto result = other.template read_as_ordered<Own>();
        if (other.net_.turned() >= turned) return;
        turned = other.net_.turned();
        best = std::move(result);
        features_ = features;
      } catch (const error&) {
        return;  // the network is read without that
      }
    };
    if (!orderable_.empty()) attempt({orderable_.begin(), orderable_.end()});
    if (orderable_.size() > 1 && orderable_.size() <= most_orders)
      for (const auto& name : orderable_) attempt(other_order(name));
    return best;
  }

 private:
  // The most inputs of which each is tried in its other order, which takes as long as reading the
  // network.
  static constexpr std::size_t most_orders = 8;

  // The inputs whose last dimension is channels, when that of one input changes.
  std::set<std::string> other_order(const std::string& input) const {
    auto features = features_;
    if (features.erase(input) == 0) features.insert(input);
    return features;
  }

  template <class Own>
  basic_network<Own> read_as_ordered() {
    if (!model_.graph) complain({.reason = "the file holds no graph"});
    read_opset();
    problems_.check();
    const hub::graph& graph = *model_.graph;
    check_size(graph);
    for (const auto& [name, c] : graph.constants)
      if (!initializers_.emplace(name, &c).second)
        complain({.layer = name, .reason = "its values are given twice"});
    if (graph.has_sparse_constants)
      complain({.reason = "it has sparse initialisers, which are not supported"});
    read_nodes(graph);
    for (const auto& o : graph.outputs) outputs_.push_back(o.name);
    if (outputs_.empty()) complain({.reason = "the graph has no outputs"});
    find_live();
    report_unsupported();
    read_inputs(graph);
    convert_all();
    for (const auto& name : outputs_) bind_output(name);
    bind_states();
    check();
    auto notes = notes_of_wide_inputs(cubes_, file_);
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    for (auto& note : notes_of_integers(graph, file_, values_)) notes.push_back(std::move(note));
    for (const auto& s : cubes_.states())
      notes.push_back({.file = file_, .layer = s.name,
                       .reason = text("this input is a state, and the output '", s.name,
                                      "/next' what it is behind the run"),
                       .remedy = "give the next run what this one left, and the first one zeros"});
    basic_network<Own> result{.graph = net_.finish<graph_of<Own>>(), .scales = net_.scales(),
                              .batch = batch_, .preprocessing = net_.preprocessing(),
                              .notes = std::move(notes), .quantised = net_.quantised()};
    if (proposes_) {
      result.tensors = net_.tensors();
      result.nodes = cut_nodes();
    }
    std::set<std::string> layers;
    for (const auto& n : nodes_) layers.insert(n.name());
    quant::complete(result.scales, result.graph,
                    [&](const std::string& name) { return !layers.contains(name); });
    return result;
  }

  void complain(problem p) {
    p.file = file_;
    problems_.add(std::move(p));
  }
  void complain(const std::string& layer, const error& e);

  void read_opset();

  void check_size(const hub::graph& graph);

  void read_nodes(const hub::graph& graph);

  // The nodes on which the outputs depend; the others do not matter.
  void find_live();

  void report_unsupported();
  void flush_unsupported();
  // Throws all problems, with the part of the network that is without them.
  void check();
  std::vector<cut_node> cut_nodes() const;

  void read_inputs(const hub::graph& graph);

  computed input(const hub::tensor& described);
  // The options that read the model from behind the tables of which inputs are only places, as
  // tokens are; empty: there are none.
  std::string options_behind_tables() const;
  // Whether an input of this type tells the places of rows in tables, and nothing else.
  bool is_places(const std::string& input, const dims& shape, std::int64_t element) const;
  // The tensors that are looked up at the places of this input, with their shapes; empty where
  // anything else reads it.
  std::map<std::string, dims> looked_up(const std::string& input, const dims& shape) const;
  // An input of this shape, whose cube has the last dimension as channels.
  computed input_of_features(const std::string& name, const dims& d);
  // Whether that is another order than the file's, in which no picture may be given.
  static bool is_orderable(const dims& d);
  // The values of the inputs; `broken` where one is left out. All that nodes produce are there.
  std::vector<value> inputs_of(const node& n);
  value read_initializer(const std::string& name, const hub::constant& c);
  // Whether it fills with one number, which may be weights, as in models without trained ones.
  static bool is_weight(const node& n) { return n.type() == "ConstantOfShape"; }

  void convert_all();

  // Computes an operator whose inputs are all constant: constants as well, by its float reference
  // where it has no arithmetic of constants.
  std::vector<value> fold(handler how, const context& of);

  // False if the node is refused itself.
  bool convert(const node& n, std::vector<value> in);

  void bind_output(const std::string& name);
  // Binds an output. What only reorders elements is left to who reads them: NVDLA has one order.
  void bind_output(const std::string& name, const computed& x);
  void bind_states();

  const operator_table& known_;
  std::string file_;
  const hub::model& model_;
  diagnostics problems_;
  std::vector<problem> notes_{};  // on inputs and outputs that are left out
  assembly net_;
  cube_builder cubes_;
  std::int64_t batch_ = 1;
  std::vector<node> nodes_;
  std::vector<bool> live_;
  std::map<std::string, const hub::constant*> initializers_;
  std::map<std::string, std::size_t> producers_;
  tensor_readers readers_;
  std::map<std::string, std::size_t> uses_;
  std::map<std::string, value> values_;
  std::vector<std::string> outputs_;
  std::set<std::string> missing_;
  unsupported_nodes unsupported_{known_};
  std::set<std::size_t> failed_;  // nodes of known operators, by number
  bool proposes_ = false;
  std::vector<std::string> orderable_;  // inputs whose last dimension may be channels
  std::set<std::string> features_;      // those where it is
  std::size_t bytes_;
  constant_elements constants_;
  std::uint64_t folded_ = 0;  // operations on constants
  bool is_told_of_tables_ = false;
};

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/reader.ipp>
#endif
