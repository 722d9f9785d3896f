// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/graph/adjacency_list.hpp>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/net/topology.hpp>

namespace nvdlac::net {

// A network as a Boost.Graph DAG. A vertex is an operator and the one tensor it produces; an edge
// carries that tensor into a numbered input slot of its consumer. `Operators` is a type list, so a
// user's own operator joins by being listed. A graph can hold malformed networks (open or doubly
// fed slots, cycles): `verify` finds them.
template <class Operators>
class basic_graph;

template <class... Ops>
class basic_graph<type_list<Ops...>> {
 public:
  using operators = type_list<Ops...>;
  using any_operator = std::variant<Ops...>;

  struct node {
    std::string name;       // unique; the layer's name in the user's file
    any_operator op;
    net::shape shape{};     // of the tensor it produces; set by infer_shapes
    double scale = 1.0;     // real value = scale * (integer - zero); in integer graphs only
    std::int32_t zero = 0;  // likewise
    hw::precision precision = hw::precision::int8;  // of the tensor's numbers; likewise
    bool output = false;    // the user reads this tensor
    // The tensors of an input or output in the user's file; an output may be several. Empty:
    // itself.
    std::vector<file_tensor> in_file{};
  };

 private:
  struct slot { std::size_t number = 0; };
  using adjacency = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                          boost::no_property, slot>;

 public:
  using id = typename boost::graph_traits<adjacency>::vertex_descriptor;  // 0 .. size() - 1

  std::size_t size() const { return nodes_.size(); }
  node& operator[](id n) { return nodes_[n]; }
  const node& operator[](id n) const { return nodes_[n]; }

  // A node as net::network tells of it too.
  std::string_view label_of(id n) const { return nodes_[n].name; }
  net::shape shape(id n) const { return nodes_[n].shape; }
  double scale(id n) const { return nodes_[n].scale; }
  std::int32_t zero(id n) const { return nodes_[n].zero; }
  hw::precision precision(id n) const { return nodes_[n].precision; }
  bool is_output(id n) const { return nodes_[n].output; }
  const std::vector<file_tensor>& in_file(id n) const { return nodes_[n].in_file; }
  template <class Op>
  const Op* get_if(id n) const { return std::get_if<Op>(&nodes_[n].op); }
  template <class F>
  void visit(id n, F&& f) const { nvdlac::visit(f, nodes_[n].op); }

  id add(std::string name, any_operator op, const std::vector<id>& inputs = {}) {
    const id n = add_vertex(graph_);
    nodes_.push_back({.name = std::move(name), .op = std::move(op)});
    for (std::size_t i = 0; i < inputs.size(); ++i) connect(inputs[i], n, i);
    return n;
  }
  void connect(id from, id to, std::size_t slot_number) {
    add_edge(from, to, slot{slot_number}, graph_);
  }


  std::vector<id> inputs(id n) const {
    std::vector<std::pair<std::size_t, id>> found;
    for (auto [e, end] = in_edges(n, graph_); e != end; ++e)
      found.emplace_back(graph_[*e].number, source(*e, graph_));
    std::sort(found.begin(), found.end());
    std::vector<id> result;
    for (const auto& [number, from] : found) result.push_back(from);
    return result;
  }
  // The slot numbers that are fed, ascending; a sound node has 0, 1, .. each once.
  std::vector<std::size_t> fed_slots(id n) const {
    std::vector<std::size_t> found;
    for (auto [e, end] = in_edges(n, graph_); e != end; ++e) found.push_back(graph_[*e].number);
    std::sort(found.begin(), found.end());
    return found;
  }
  // Every use of n's tensor, ascending; a consumer that reads it twice is listed twice.
  std::vector<id> consumers(id n) const {
    std::vector<id> found;
    for (auto [e, end] = out_edges(n, graph_); e != end; ++e) found.push_back(target(*e, graph_));
    std::sort(found.begin(), found.end());
    return found;
  }
  // How many these are, which costs nothing however many there are.
  std::size_t uses(id n) const { return out_degree(n, graph_); }

  // All readers of `from` (and its being an output) move to `to`.
  void replace_uses(id from, id to) {
    std::vector<std::pair<id, slot>> moved;
    for (auto [e, end] = out_edges(from, graph_); e != end; ++e)
      if (target(*e, graph_) != to) moved.emplace_back(target(*e, graph_), graph_[*e]);
    boost::remove_out_edge_if(
        from, [&](const auto& e) { return target(e, graph_) != to; }, graph_);
    for (const auto& [consumer, s] : moved) add_edge(to, consumer, s, graph_);
    if (nodes_[from].output) move_output(from, to);
  }
  // `to` is read from outside in place of `from`.
  void move_output(id from, id to) {
    nodes_[from].output = false;
    nodes_[to].output = true;
    for (auto& form : std::exchange(nodes_[from].in_file, {}))
      nodes_[to].in_file.push_back(std::move(form));
  }
  // The inputs of n become these.
  void set_inputs(id n, const std::vector<id>& inputs) {
    clear_in_edges(n, graph_);
    for (std::size_t i = 0; i < inputs.size(); ++i) connect(inputs[i], n, i);
  }

  // The graph of the nodes for which keep(id) holds, in the same order; ids are renumbered.
  template <class Keep>
  basic_graph filtered(Keep keep) const& {
    return basic_graph(*this).filtered(keep);
  }
  template <class Keep>
  basic_graph filtered(Keep keep) && {  // nodes with many weights are moved
    std::vector<id> renumbered(size(), size());
    id kept = 0;
    for (id n = 0; n < size(); ++n)
      if (keep(n)) renumbered[n] = kept++;
    basic_graph result;
    result.graph_ = adjacency(kept);
    result.nodes_.reserve(kept);
    for (id n = 0; n < size(); ++n)
      if (renumbered[n] != size()) result.nodes_.push_back(std::move(nodes_[n]));
    for (auto [e, end] = edges(graph_); e != end; ++e) {
      const id from = renumbered[source(*e, graph_)], to = renumbered[target(*e, graph_)];
      if (from != size() && to != size()) add_edge(from, to, graph_[*e], result.graph_);
    }
    return result;
  }

  // Producers before consumers, ties by id. Nodes on a cycle or behind one are left out.
  std::vector<id> order() const {
    std::vector<std::size_t> open(size());
    std::vector<id> ready, result;
    for (id n = 0; n < size(); ++n)
      if ((open[n] = in_degree(n, graph_)) == 0) ready.push_back(n);
    const auto later = std::greater<id>{};
    std::make_heap(ready.begin(), ready.end(), later);
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), later);
      const id n = ready.back();
      ready.pop_back();
      result.push_back(n);
      for (auto [e, end] = out_edges(n, graph_); e != end; ++e)
        if (const id consumer = target(*e, graph_); --open[consumer] == 0) {
          ready.push_back(consumer);
          std::push_heap(ready.begin(), ready.end(), later);
        }
    }
    return result;
  }

  // The nodes that are read from outside, ascending.
  std::vector<id> outputs() const {
    std::vector<id> result;
    for (id n = 0; n < size(); ++n)
      if (nodes_[n].output) result.push_back(n);
    return result;
  }

  const adjacency& boost_graph() const { return graph_; }

 private:
  adjacency graph_;
  std::vector<node> nodes_;  // by vertex: Boost.Graph copies what a vertex holds when a graph grows
};

}  // namespace nvdlac::net

// Boost.Graph's view of the compile-time form.
template <std::size_t N, std::size_t E>
struct boost::graph_traits<nvdlac::net::topology<N, E>> {
  using vertex_descriptor = std::size_t;
  using edge_descriptor = typename nvdlac::net::topology<N, E>::edge;
  using vertex_iterator = const vertex_descriptor*;
  using edge_iterator = const edge_descriptor*;
  using out_edge_iterator = const edge_descriptor*;
  using adjacency_iterator = const vertex_descriptor*;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using directed_category = directed_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : vertex_list_graph_tag, edge_list_graph_tag, incidence_graph_tag,
                              adjacency_graph_tag {};
  static vertex_descriptor null_vertex() { return N; }
};
