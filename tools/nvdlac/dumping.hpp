// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iostream>
#include <set>
#include <string>

#include <nvdlac/net/print.hpp>
#include <nvdlac/report/lineage.hpp>

namespace nvdlac::cli {

// Prints the graph after the passes that the user names, and follows its layers through all.
struct dumping {
  std::set<std::string> passes{};
  bool as_dot = false;
  std::ostream& to = std::cout;
  report::lineage* lineage = nullptr;

  template <class P, class Graph>
  void after(const Graph& g) const {
    if (lineage != nullptr) lineage->follow(report::form_of(g));
    if (!passes.contains(std::string(P::name))) return;
    if (as_dot) return net::graphviz(to, g, P::name);
    to << "# after " << P::name << '\n';
    net::dump(to, g);
  }
};

}  // namespace nvdlac::cli
