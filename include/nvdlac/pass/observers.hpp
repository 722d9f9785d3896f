// SPDX-License-Identifier: Apache-2.0
#pragma once
// Observers see the graph after every pass: `template <class P> void after(const Graph&)`.
#include <iomanip>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/verify.hpp>

namespace nvdlac::pass {

struct silent {
  template <class P, class Graph>
  void after(const Graph&) const {}
};

// Throws std::logic_error, for it is a defect of the pass, if the graph is not sound any more.
struct verify {
  template <class P, class Graph>
  void after(const Graph& g) const {
    std::string found;
    for (const auto& p : net::verify(g)) found.append("\n").append(to_string(p));
    if (!found.empty())
      throw std::logic_error("after the pass " + std::string(P::name) + ":" + found);
  }
};

// One line per pass: its name and the number of nodes.
struct trace {
  std::ostream& out;

  template <class P, class Graph>
  void after(const Graph& g) const {
    out << std::left << std::setw(20) << P::name << std::right << std::setw(5) << g.size()
        << " nodes\n";
  }
};

// The graph as text after the pass of this name; after every pass without a name.
struct dump {
  std::ostream& out;
  std::string pass = {};

  template <class P, class Graph>
  void after(const Graph& g) const {
    if (!pass.empty() && pass != P::name) return;
    out << "# after " << P::name << '\n';
    net::dump(out, g);
  }
};

// The same in Graphviz's language.
struct dot {
  std::ostream& out;
  std::string pass = {};

  template <class P, class Graph>
  void after(const Graph& g) const {
    if (pass.empty() || pass == P::name) net::graphviz(out, g, P::name);
  }
};

// Both observers, one after the other.
template <class First, class Second>
struct both {
  both(First one, Second two) : first(std::move(one)), second(std::move(two)) {}

  First first;
  Second second;

  template <class P, class Graph>
  void after(const Graph& g) {
    first.template after<P>(g);
    second.template after<P>(g);
  }
};

}  // namespace nvdlac::pass
