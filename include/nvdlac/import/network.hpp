// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <any>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::import {

namespace detail {

template <class Listed, class... Own>
struct held {
  using type = Listed;
};
template <class... Listed, class First, class... Rest>
struct held<type_list<Listed...>, First, Rest...>
    : held<std::conditional_t<net::is_expandable<First>, type_list<Listed...>,
                              type_list<Listed..., First>>,
           Rest...> {};

template <class Own>
struct graph_of_list;
template <class... Own>
struct graph_of_list<type_list<Own...>> {
  using type = net::basic_graph<typename held<net::standard_operators, Own...>::type>;
};

}  // namespace detail

// The graph that holds nvdlac's operators and the user's own, but for those that are known ones in
// other words (net::expansion), which become these.
template <class Own>
using graph_of = typename detail::graph_of_list<Own>::type;

// Operators of the user's own while a file is read, by node. In the graph that importers build, and
// that is the same for all lists of them, a net::on_host of which nothing is known stands in.
using own_by_node = std::map<net::graph::id, std::any>;

// The graph that holds them: nothing else changes, and nodes keep their numbers.
template <class Graph>
Graph widened(net::graph g, [[maybe_unused]] own_by_node own = {}) {
  if constexpr (std::is_same_v<Graph, net::graph>) {
    return g;
  } else {
    using any_operator = typename Graph::any_operator;
    const auto operator_of = [&](net::graph::id n) {
      any_operator result = nvdlac::visit(
          [](auto& op) { return any_operator(std::move(op)); }, g[n].op);
      if (const auto found = own.find(n); found != own.end())
        for_each(typename Graph::operators{}, [&]<class Op>(std::type_identity<Op>) {
          if (auto* op = std::any_cast<Op>(&found->second)) result = std::move(*op);
        });
      return result;
    };
    Graph wide;
    for (net::graph::id n = 0; n < g.size(); ++n) {
      auto& from = g[n];
      auto& to = wide[wide.add(std::move(from.name), operator_of(n))];
      to.shape = from.shape;
      to.scale = from.scale;
      to.zero = from.zero;
      to.precision = from.precision;
      to.output = from.output;
      to.in_file = std::move(from.in_file);
    }
    for (net::graph::id n = 0; n < g.size(); ++n) wide.set_inputs(n, g.inputs(n));
    return wide;
  }
}

// The part of a network that is left where some of its operators are refused.

// An output of a node.
struct cut_port {
  std::size_t node = 0, output = 0;
  auto operator<=>(const cut_port&) const = default;
};

// A node of a file, as far as a cut asks for it. Inputs of the network and stored weights are none.
struct cut_node {
  std::string layer{};                 // what problems call it; empty: as its outputs
  std::vector<cut_port> inputs{};
  std::vector<std::string> outputs{};  // what the options --from and --to call them
  std::vector<bool> of_network{};      // by output: whether the network gives it
  bool refused = false;
  bool constant = false;               // it gives the same for all inputs
};

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

// Options for the reading of a file, by its own names: a part of its network, and what it leaves
// open; and what it may cost.
struct part {
  std::vector<std::string> from{};  // what these layers give are the inputs; empty: the file's own
  std::vector<std::string> to{};    // what these layers give are the outputs
  std::map<std::string, std::vector<std::int64_t>> shapes{};  // of inputs, as the file has them
  std::optional<float> epsilon{};  // of the batch normalisations of a Darknet network
  bool states = false;  // those of recurrent layers are inputs, and outputs for the next run
  budget limits{};

  // Whether it is the whole network, with all its sizes.
  bool empty() const { return from.empty() && to.empty() && shapes.empty(); }
  bool cuts() const { return !from.empty() || !to.empty(); }
};

// How a user tells the shape of an input: as the file has it, with guesses where it is open.
std::string shape_option(const std::string& input, const std::vector<std::int64_t>& shape,
                         std::int64_t guess = 224);

// Readers of the formats other than ONNX, in whose terms they write what they read. A program that
// does not want one need not compile it: these readers are weak symbols, which the linker makes
// null where nothing defines them. Where the header of one is included anywhere in a program, or a
// compiled library has it (NVDLAC_FORMATS in CMake), all of the program reads the format.

// As weight_source, with the file that was read.
using weight_content = std::variant<std::monostate, named_content, random_weights>;
using further_reader = network(const named_content& model, const weight_content& weights,
                               const part& wanted);
[[gnu::weak]] further_reader read_caffe2, read_coreml, read_mxnet, read_pytorch;
#ifdef NVDLAC_COMPILED  // of headers alone, model.hpp includes these
[[gnu::weak]] further_reader read_caffe, read_darknet, read_keras, read_tensorflow, read_tflite;
#endif

namespace detail {

// The nodes that the network needs, each behind its inputs.
std::vector<std::size_t> needed_in_order(const std::vector<cut_node>& nodes);

// Where a node stands.
struct cut_place {
  std::size_t level = 0;  // how many refused nodes lie on the way to it, at most
  bool computed = false;  // it, or what it depends on, is no constant
};
struct cut_ends {
  std::set<cut_port> from{}, to{};
};

// The ends of the part on a level; nothing where it needs a constant of another level that is told
// by what is computed there, which is left out then.
std::optional<cut_ends> ends_of_level(const std::vector<cut_node>& nodes,
                                      const std::vector<std::size_t>& sorted,
                                      const std::vector<cut_place>& at, std::size_t level);

}  // namespace detail

// The options that name the largest part of a network without its refused nodes: `--to` and what is
// computed before them, `--from` what is behind, both what lies between. Empty where nothing is
// left, or only what has more ends than a user would type.
std::string cut_around(const std::vector<cut_node>& nodes);

// The options that name the largest part without the nodes that these problems are of, which may
// name steps of theirs behind a stroke.
std::string cut_around(std::vector<cut_node> nodes, const error& refused);

// A layer of a file whose tensors have names; other names than those of outputs are no tensors of
// layers.
struct cut_layer {
  std::string name{};  // empty: its outputs are named each for itself
  std::vector<std::string> inputs{}, outputs{};
  bool refused = false, constant = false;
};
// The nodes of a file of these layers that gives the tensors `outputs`.
std::vector<cut_node> nodes_of(const std::vector<cut_layer>& layers,
                               const std::vector<std::string>& outputs);

// The refusal of an output that depends on no input; the options read the file for its others.
error constant_output(const std::vector<std::string>& others);

// Returns the same problems, of which one proposes these options: the first that something is not
// supported, before its own remedy, else the first of all, behind it.
error with_cut(const error& e, const std::string& options);

// The number that stands in place of a name, if it is less than `count`.
std::optional<std::size_t> number_in(const std::string& name, std::size_t count);

// A hint in place of a name that is none of these: up to three that look like it, or the range of
// their numbers; empty: nothing looks like it.
std::string meant_instead_of(const std::string& name, const std::vector<std::string>& names);
// A further remedy, if there is one, behind another.
inline std::string behind(const std::string& remedy) {
  return remedy.empty() ? remedy : "; " + remedy;
}

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/network.ipp>
#endif
