// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formats whose pictures have their channels first, as ONNX has them: PyTorch, MXNet, Caffe2 and
// Core ML. Their operators are written in ONNX's terms, so that all formats mean the same by the
// same operator.
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>
#include <nvdlac/import/translation/layer_writer.hpp>

namespace nvdlac::import::translation {

// One operator of a file. Tensors have names that are given once.
struct file_layer {
  std::string name{}, type{};
  std::vector<std::string> inputs{}, outputs{};
};
struct file_input {
  std::string name{};
  std::optional<dims> shape{};  // -1 where it is open; nothing: not known
  std::string unknown{};        // what to say further where its shape is not known
};

// The graph that a format tells of a file, in the order of computation.
struct file_graph {
  std::vector<file_layer> layers{};
  std::vector<file_input> inputs{};
  std::vector<std::string> outputs{};
};

// Translates the part of a file that is wanted. All problems are told together.
class channels_first_translator {
 public:
  // The operands that layer k gives, in the order of its outputs; it may give fewer. `convert`
  // throws what is wrong with it.
  using convert = std::function<std::vector<operand>(std::size_t k)>;

  channels_first_translator(std::string file, const file_graph& graph, const part& wanted,
                            std::size_t bytes);

  layer_writer& to() { return to_; }
  // A tensor whose numbers the file holds.
  void hold(const std::string& name, operand o) { tensors_[name] = std::move(o); }
  bool is_held(const std::string& name) const { return tensors_.contains(name); }
  const operand& at(const std::string& name) const;
  // Whether what is wanted depends on a tensor.
  bool needs(const std::string& name) const { return read_.contains(name); }
  // The shapes of the inputs that were converted.
  const std::map<std::string, dims>& shapes_of_inputs() const { return given_; }

  // Inputs first, for what depends on their shapes.
  void read_inputs();
  // `known` tells of an operator whether the format's table has it.
  network translate(const std::function<bool(const std::string&)>& known, const convert& how,
                    const std::string& supported);
  layer_problems& problems() { return problems_; }

 private:
  // A tensor by its name, or by that of the layer that gives it first or its number.
  std::optional<std::string> tensor_called(const std::string& name) const;
  std::vector<std::string> called(const std::vector<std::string>& wanted);
  // The layers on which what is wanted depends.
  void choose();
  void input(const std::string& name, const std::optional<dims>& declared,
             const std::string& unknown = {});
  void apply(std::size_t k, const convert& how);
  void report_unsupported(const std::string& supported);
  // The part without the layers that are refused.
  std::vector<cut_node> nodes() const;

  std::string file_;
  const file_graph& graph_;
  const part& wanted_;
  std::size_t bytes_;
  layer_problems problems_;
  input_shapes shapes_;
  layer_writer to_;
  std::map<std::string, std::size_t> producers_;
  std::map<std::string, operand> tensors_;
  std::map<std::string, dims> given_;
  std::set<std::string> read_, broken_;
  std::vector<bool> needed_;
  std::set<std::size_t> refused_;
  std::vector<std::string> starts_, ends_;
  std::map<std::string, std::vector<std::string>> unsupported_;
};

// The operators of a format's table, for messages.
template <class Table>
std::string names_of(const Table& table) {
  std::string all;
  for (const auto& [type, ignored] : table) all += (all.empty() ? "" : ", ") + std::string(type);
  return all;
}

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/channels_first.ipp>
#endif
