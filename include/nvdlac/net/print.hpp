// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs and their operators as text, and in Graphviz's language.
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

namespace detail {

void describe_window(std::ostream& out, const window& w);

void describe_call(std::ostream& out, const host_call& c);

// " kernels=20", " relu", " average", " factor=3", " weights[500]".
template <class T>
void describe_field(std::ostream& out, std::string_view name, const T& value) {
  if constexpr (std::is_same_v<T, window>) describe_window(out, value);
  else if constexpr (std::is_same_v<T, host_call>) describe_call(out, value);
  else if constexpr (std::is_same_v<T, bool>) out << (value ? " " : " no ") << name;
  else if constexpr (std::is_enum_v<T>) out << ' ' << name_of(value);
  else if constexpr (std::is_arithmetic_v<T>) out << ' ' << name << '=' << +value;
  else if constexpr (std::is_same_v<T, shape>) out << ' ' << name << '=' << value;
  else if constexpr (requires { value.shape; }) describe_field(out, name, value.shape);
  else if constexpr (requires { value.has_value(); }) describe_field(out, name, *value);
  else if constexpr (has_fields<T>) out << ' ' << name << '=' << in_braces(value);
  else out << ' ' << name << '[' << value.size() << ']';
}

}  // namespace detail

// "convolution kernels=20 window=5x5 stride=1x1 weights[500] relu": an operator and its fields.
// What is as it would be untold is left out, but for kinds and windows: also how a convolution
// joins its second input, of which most have none.
template <class AnyOperator>
std::string describe(const AnyOperator& any) {
  text_stream out;
  nvdlac::visit(
      [&]<class Op>(const Op& op) {
        out << type_name<Op>();
        const Op usual{};
        bool covers_all = false;  // its window is not used
        if constexpr (requires { op.global; }) covers_all = op.global;
        visit_fields(op, [&]<class T>(const auto& field, const T& value) {
          constexpr bool is_window = std::is_same_v<T, window>;
          constexpr bool is_kind = std::is_enum_v<T> && !std::is_same_v<T, combination>;
          if (is_window && covers_all) return;
          if (is_window || is_kind || value != usual.*field.member)
            detail::describe_field(out, field.name, value);
        });
      },
      any);
  return out.str();
}

// One line per node, producers first, then what lies on cycles:
// "conv1 = convolution kernels=20 window=5x5 stride=1x1 (data) : 20x24x24 [output]"
template <class Graph>
void dump(std::ostream& to, const Graph& g) {
  text_stream out;
  auto nodes = g.order();
  std::vector<bool> listed(g.size(), false);
  for (const auto n : nodes) listed[n] = true;
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (!listed[n]) nodes.push_back(n);
  for (const auto n : nodes) {
    out << g[n].name << " = " << describe(g[n].op) << " (";
    const char* separator = "";
    for (const auto i : g.inputs(n)) {
      out << separator << g[i].name;
      separator = ", ";
    }
    out << ") : " << g[n].shape << (g[n].output ? " [output]" : "") << '\n';
  }
  to << out.str();
}

// A graph in Graphviz's language: a box per node with its name, operator and shape; outputs have a
// double line.
template <class Graph>
void graphviz(std::ostream& to, const Graph& g, std::string_view title = "network") {
  text_stream out;
  out << "digraph \"" << escape::dot(title) << "\" {\n  node [shape=box];\n";
  for (typename Graph::id n = 0; n < g.size(); ++n)
    out << "  n" << n << " [label=\"" << escape::dot(g[n].name) << "\\n"
        << escape::dot(describe(g[n].op)) << "\\n" << g[n].shape << '"'
        << (g[n].output ? " peripheries=2" : "") << "];\n";
  for (typename Graph::id n = 0; n < g.size(); ++n)
    for (const auto i : g.inputs(n)) out << "  n" << i << " -> n" << n << ";\n";
  out << "}\n";
  to << out.str();
}

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/print.ipp>
#endif
