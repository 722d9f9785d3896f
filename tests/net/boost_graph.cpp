// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/net/boost_graph.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/topological_sort.hpp>
#include <doctest/doctest.h>

#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operators.hpp>

using namespace nvdlac::net;

namespace {

constexpr network branches{
    node{"in", input{{4, 5, 6}}},
    node{"left", relu{}, "in"},
    node{"twice", add{}, "left", "left"},
    node{"all", concat{}, "twice", "in"},
};

using dag = std::remove_cvref_t<decltype(branches.edges())>;
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<dag>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<dag>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<dag>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<dag>));

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<graph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<graph>));

// The places of all nodes in Boost.Graph's topological order, consumers first.
template <class Graph>
std::vector<std::size_t> places_of(const Graph& g) {
  std::vector<std::size_t> order;
  std::vector<boost::default_color_type> colors(g.size());
  const boost::typed_identity_property_map<std::size_t> own;
  boost::topological_sort(g, std::back_inserter(order),
                          boost::vertex_index_map(own).color_map(
                              boost::make_iterator_property_map(colors.begin(), own)));
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

// input -> left; left, left -> twice; twice, input -> all
graph made() {
  graph g;
  const auto in = g.add("in", input{{4, 5, 6}});
  const auto left = g.add("left", relu{}, {in});
  const auto twice = g.add("twice", add{}, {left, left});
  g.add("all", concat{}, {twice, in});
  return g;
}

template <class Range>
std::vector<graph_edge> all_of(Range range) {
  return {range.first, range.second};
}

}  // namespace

TEST_CASE("Boost.Graph's algorithms take a graph and its compile-time form") {
  static constexpr auto fixed = branches.edges();
  const auto place = places_of(fixed);
  REQUIRE(place.size() == fixed.size());
  for (auto [e, end] = edges(fixed); e != end; ++e) CHECK(place[e->from] > place[e->to]);

  const auto g = made();
  CHECK(places_of(g) == place);
}

TEST_CASE("edges of a graph tell their slots, also those between the same two nodes") {
  const auto g = made();
  CHECK(num_vertices(g) == 4);
  CHECK(all_of(in_edges(2, g)) == std::vector<graph_edge>{{1, 2, 0}, {1, 2, 1}});
  CHECK(all_of(out_edges(1, g)) == std::vector<graph_edge>{{1, 2, 0}, {1, 2, 1}});
  CHECK(all_of(out_edges(0, g)) == std::vector<graph_edge>{{0, 1, 0}, {0, 3, 1}});
  CHECK(out_degree(0, g) == 2);
  CHECK(in_degree(0, g) == 0);
  CHECK(degree(1, g) == 3);
}
