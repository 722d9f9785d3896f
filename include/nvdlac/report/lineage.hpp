// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fate of the layers of a network's file: followed by their names from pass to pass, and
// from there to hardware layers.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>

namespace nvdlac::report {

// A network between two passes: who reads whom.
struct network_form {
  struct node {
    std::string name{};
    std::string kind{};                 // of the operator
    std::vector<std::size_t> inputs{};  // their places among the nodes
    bool output = false;
  };
  std::vector<node> nodes{};  // what is read stands before who reads it
};

template <class Graph>
network_form form_of(const Graph& g) {
  network_form form;
  std::vector<std::size_t> place(g.size(), 0);
  for (const auto n : g.order()) {
    place[n] = form.nodes.size();
    auto& to = form.nodes.emplace_back();
    to.name = g[n].name;
    nvdlac::visit([&]<class Op>(const Op&) { to.kind = type_name<Op>(); }, g[n].op);
    for (const auto i : g.inputs(n)) to.inputs.push_back(place[i]);
    to.output = g[n].output;
  }
  return form;
}

class lineage {
 public:
  // A layer of the file that reads others, and who gives now what it gave: itself, another layer of
  // which it is a part, or nobody, as no output depends on it.
  struct layer {
    std::string name{}, kind{};
    std::string now{};
  };

  // The network of the file.
  void begin(network_form of_file);
  // Takes the network after a pass. Layers that are there no more went into the layer that those
  // who read them read now, or into these.
  void follow(network_form next);

  // In the order of the network.
  const std::vector<layer>& layers() const { return layers_; }

 private:
  std::vector<layer> layers_{};
  network_form last_{};
};

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/lineage.ipp>
#endif
