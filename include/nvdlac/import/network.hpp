// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/own_graph.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::import {

// The content of a file: a network, and the scales of its tensors if it is quantised. `Own` lists
// the operators of the user's own that it may have.
template <class Own>
struct basic_network {
  using own_operators = Own;
  using graph_type = graph_of<Own>;

  graph_type graph{};
  quant::scale_table scales{};  // without entries if the file has none
  std::int64_t batch = 1;       // pictures for which the file was written; the graph is of one
  std::vector<std::filesystem::path> external{};  // further files that hold its data
  // How bytes become the values of the inputs, if the file tells: its inputs are quantised, and all
  // alike, or the pictures of its format are.
  std::optional<net::preprocessing> preprocessing{};
  std::vector<problem> notes{};  // what is not as the file has it, for the user
  std::filesystem::path file{};
  // The tensors that the file quantises; those of `scales` beyond them follow from theirs.
  std::vector<quant::quantised_tensor> quantised{};
  // Names of tensors in the file that are none of layers, for tables of scales; of ONNX alone.
  std::vector<quant::named_tensor> tensors{};
  // The nodes of the file, of which a refusal names those to end at. Empty where the reader was
  // told to begin behind one, or the network is of no file.
  std::vector<cut_node> nodes{};
};
using network = basic_network<type_list<>>;
template <class... Own>
using network_with = basic_network<type_list<Own...>>;

// Returns the network in the graph that holds operators of the user's own as well.
template <class Own>
basic_network<Own> with_own(network n) {
  return {.graph = widened<graph_of<Own>>(std::move(n.graph)), .scales = std::move(n.scales),
          .batch = n.batch, .external = std::move(n.external),
          .preprocessing = std::move(n.preprocessing), .notes = std::move(n.notes),
          .file = std::move(n.file), .quantised = std::move(n.quantised),
          .tensors = std::move(n.tensors), .nodes = std::move(n.nodes)};
}

// The network alone. Without its scales a quantised model is calibrated anew.
template <class Own>
graph_of<Own> without_scales(basic_network<Own> n) {
  return std::move(n.graph);
}

// The network of a file that has no scales, which would be lost: then it is an `error`.
template <class Own>
graph_of<Own> real_graph(basic_network<Own> n, const std::string& file) {
  if (!n.scales.entries.empty())
    throw error(problem{
        .file = file,
        .reason = text("the model is quantised: the scales of its ",
                       count_of(n.scales.entries.size(), "tensor"),
                       " would be lost"),
        .remedy = "take its network, with the scales, or without_scales(network)"});
  return std::move(n.graph);
}

}  // namespace nvdlac::import
