// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// A network as a directed acyclic graph. A node is an operator and the one tensor it produces; an
// edge carries that tensor into a numbered input slot of its consumer. `Operators` is a type list,
// so a user's own operator joins by being listed. A graph can hold malformed networks (open or
// doubly fed slots, cycles): `verify` finds them. It is a model of Boost.Graph's concepts, see
// net/boost_graph.hpp.
//
// What `inputs`, `fed_slots` and `consumers` return stays valid while nodes are added, until an
// edge of that node itself changes.
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
    // A step of channel c is worth gain[c] * scale; empty: 1. Likewise.
    std::vector<double> gain{};
    hw::precision precision = hw::precision::int8;  // of the tensor's numbers; likewise
    bool output = false;    // the user reads this tensor
    // The tensors of an input or output in the user's file; an output may be several. Empty:
    // itself.
    std::vector<file_tensor> in_file{};
  };

  using id = std::size_t;  // 0 .. size() - 1

  std::size_t size() const { return nodes_.size(); }
  node& operator[](id n) { return nodes_[n]; }
  const node& operator[](id n) const { return nodes_[n]; }

  // A node as net::network tells of it too.
  std::string_view label_of(id n) const { return nodes_[n].name; }
  net::shape shape(id n) const { return nodes_[n].shape; }
  double scale(id n) const { return nodes_[n].scale; }
  std::int32_t zero(id n) const { return nodes_[n].zero; }
  const std::vector<double>& gain(id n) const { return nodes_[n].gain; }
  hw::precision precision(id n) const { return nodes_[n].precision; }
  bool is_output(id n) const { return nodes_[n].output; }
  const std::vector<file_tensor>& in_file(id n) const { return nodes_[n].in_file; }
  template <class Op>
  const Op* get_if(id n) const { return std::get_if<Op>(&nodes_[n].op); }
  template <class F>
  void visit(id n, F&& f) const { nvdlac::visit(f, nodes_[n].op); }

  id add(std::string name, any_operator op, std::span<const id> inputs) {
    const id n = size();
    nodes_.push_back({.name = std::move(name), .op = std::move(op)});
    links_.emplace_back();
    for (std::size_t i = 0; i < inputs.size(); ++i) connect(inputs[i], n, i);
    return n;
  }
  id add(std::string name, any_operator op, std::initializer_list<id> inputs = {}) {
    return add(std::move(name), std::move(op), std::span(inputs.begin(), inputs.size()));
  }
  // Throws nvdlac::error for an id of no node.
  void connect(id from, id to, std::size_t slot) {
    if (from >= size() || to >= size())
      throw error(text("there is no node ", std::max(from, to), " in a graph of ", size()));
    auto& [inputs, slots, consumers] = links_[to];
    const auto at = std::ranges::upper_bound(slots, slot) - slots.begin();
    inputs.insert(inputs.begin() + at, from);
    slots.insert(slots.begin() + at, slot);
    add_use(from, to);
  }

  // The producers of n's inputs, by slot.
  std::span<const id> inputs(id n) const { return links_[n].inputs; }
  // The slot numbers that are fed, ascending; a sound node has 0, 1, .. each once.
  std::span<const std::size_t> fed_slots(id n) const { return links_[n].slots; }
  // Every use of n's tensor, ascending; a consumer that reads it twice is listed twice.
  std::span<const id> consumers(id n) const { return links_[n].consumers; }
  std::size_t uses(id n) const { return links_[n].consumers.size(); }

  // All readers of `from` (and its being an output) move to `to`.
  void replace_uses(id from, id to) {
    if (from == to) return;
    for (const id reader : std::exchange(links_[from].consumers, {})) {
      if (reader == to) {
        links_[from].consumers.push_back(reader);
        continue;
      }
      *std::ranges::find(links_[reader].inputs, from) = to;
      add_use(to, reader);
    }
    if (nodes_[from].output) move_output(from, to);
  }
  // `to` is read from outside in place of `from`.
  void move_output(id from, id to) {
    nodes_[from].output = false;
    nodes_[to].output = true;
    for (auto& form : std::exchange(nodes_[from].in_file, {}))
      nodes_[to].in_file.push_back(std::move(form));
  }
  // The inputs of n become these, in slots 0, 1, ..
  void set_inputs(id n, std::span<const id> inputs) {
    const std::vector<id> wanted(inputs.begin(), inputs.end());  // which may be n's own
    for (const id from : links_[n].inputs) {
      auto& readers = links_[from].consumers;
      readers.erase(std::ranges::find(readers, n));
    }
    links_[n].inputs.clear();
    links_[n].slots.clear();
    for (std::size_t i = 0; i < wanted.size(); ++i) connect(wanted[i], n, i);
  }
  void set_inputs(id n, std::initializer_list<id> inputs) {
    set_inputs(n, std::span(inputs.begin(), inputs.size()));
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
    result.nodes_.reserve(kept);
    for (id n = 0; n < size(); ++n)
      if (renumbered[n] != size()) result.nodes_.push_back(std::move(nodes_[n]));
    result.links_.resize(kept);
    for (id n = 0; n < size(); ++n)
      for (std::size_t i = 0; i < inputs(n).size(); ++i)
        if (const id from = renumbered[inputs(n)[i]], to = renumbered[n];
            from != size() && to != size())
          result.connect(from, to, fed_slots(n)[i]);
    return result;
  }

  // Producers before consumers, ties by id. Nodes on a cycle or behind one are left out.
  std::vector<id> order() const {
    std::vector<std::size_t> open(size());
    std::vector<id> ready, result;
    for (id n = 0; n < size(); ++n)
      if ((open[n] = inputs(n).size()) == 0) ready.push_back(n);
    const auto later = std::greater<id>{};
    std::make_heap(ready.begin(), ready.end(), later);
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), later);
      const id n = ready.back();
      ready.pop_back();
      result.push_back(n);
      for (const id consumer : consumers(n))
        if (--open[consumer] == 0) {
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

 private:
  // The edges at a node.
  struct ends {
    std::vector<id> inputs{};            // by slot
    std::vector<std::size_t> slots{};    // of these, ascending
    std::vector<id> consumers{};         // ascending
  };
  void add_use(id from, id reader) {
    auto& readers = links_[from].consumers;
    readers.insert(std::ranges::upper_bound(readers, reader), reader);
  }

  std::vector<node> nodes_{};
  std::vector<ends> links_{};  // of each node
};

}  // namespace nvdlac::net
