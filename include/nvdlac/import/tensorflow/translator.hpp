// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tensorflow/graph.hpp>
#include <nvdlac/import/tensorflow/operators.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>

namespace nvdlac::import::tensorflow_format {

// The description of a network in a file beside its nodes.
struct description {
  std::vector<named_port> inputs{};   // that are known by other names than their nodes
  std::vector<named_port> outputs{};
  std::function<std::optional<tensor>(const std::string& variable)> variable{};
  std::size_t bytes = 0;              // of the file
};

// Writes a graph in ONNX's terms, so that all formats mean the same by the same operator. Layers
// have the names of the nodes.
class translator {
 public:
  // The first dimension of an input counts pictures, or (`whole`) is one like the others.
  translator(const std::string& file, const flat_graph& graph, description d, const part& wanted,
             const std::vector<named_port>& cut, diagnostics problems, bool whole = false);

  // Whether it could be read as a whole: an input has few dimensions, of which the first is more
  // than one.
  bool may_be_whole() const { return may_be_whole_; }

  network translate();

 private:
  void take_unsupported();

  // Pictures have channels second while they are computed: they come as the network takes them.
  void choose_order();

  void input(std::size_t n, std::size_t k, std::int64_t type, const std::optional<dims>& declared);
  // Makes what a layer gives an input where the network is cut.
  void start(std::size_t n);

  // A small file may describe a large one, so that its size is asked first.
  void constant(std::size_t n, const tensor& t);
  void convert(std::size_t n);
  // Whether its inputs are sound.
  bool convert_sound(std::size_t n, std::size_t most);
  bool convert_variable(std::size_t n);

  // All types that a node names are types of its inputs.
  static void check_types(const node& n, const std::vector<std::int64_t>& types);
  bool apply(std::size_t n, std::size_t most);
  static std::size_t count_of(const node& n);

  // Throws where the operator cannot read what SpaceToBatchND cut: few can, and fewer while its
  // zeros are not taken in.
  void require_whole(const node& n, const operator_entry& entry, std::int32_t input);
  void pass_blocks(const node& n, const operator_entry& entry,
                   const std::vector<std::int32_t>& inputs, std::int32_t output);
  // The crops of the BatchToSpaceND that reads what a node gives, maybe behind others.
  blocks crops_behind(std::size_t n);

  void output(const named_port& o);
  // Inputs are the file's; outputs were written as the file has them.
  void name_as_in_file(net::graph::node& n) const;

  std::string file_;
  const std::vector<node>& nodes_;
  description description_;
  translation::layer_problems problems_;
  bool whole_, may_be_whole_ = false, channels_first_ = false;
  input_shapes shapes_;
  std::set<port> starts_;
  std::map<port, std::string> input_names_;
  std::optional<schedule> schedule_;
  std::vector<std::pair<std::string, order>> inputs_;
  budget limits_;
  onnx_format::constant_elements constants_;
  hub::writer to_{translation::opset};
  tensors tensors_;
  values values_{tensors_, to_, limits_};
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/translator.ipp>
#endif
