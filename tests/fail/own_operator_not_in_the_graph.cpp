// SPDX-License-Identifier: Apache-2.0
// EXPECT: doubled
// EXPECT: require_listed_or_expandable|is not in the graph's list
// MEANS: The network has an operator of your own, which the graph does not list and which is not
// MEANS: written as a known one.
// REMEDY: List it: `to_graph<graph_with<doubled>>(net)`, or specialise `net::expansion`.
#include <span>

#include <nvdlac/net/builder.hpp>

using namespace nvdlac::net;

// The user's own operator: y = 2 * x.
struct doubled {
  static constexpr arity inputs{1, 1};
  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
};

#ifdef FIXED
using my_graph = basic_graph<nvdlac::type_list<input, doubled>>;
#else
using my_graph = graph;
#endif
const auto g = to_graph<my_graph>(network{input{{3, 8, 8}}, doubled{}});
