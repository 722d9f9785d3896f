// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/pass/split_maps.hpp>

#include "same_values.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// A layer whose vector becomes this map, perhaps behind a function, and an output behind it.
template <class... Function>
graph map_behind(shape map, Function... functions) {
  randomness random(5);
  const auto small = [&](std::size_t n) {
    auto values = random.reals(n);
    for (float& v : values) v /= 10;
    return values;
  };
  graph g;
  const auto x = g.add("x", input{{3, 1, 1}}, {});
  auto n = g.add("vector", fully_connected{.outputs = static_cast<std::int32_t>(map.size()),
                                           .weights = small(3 * map.size()),
                                           .bias = small(map.size())}, {x});
  ((n = g.add("function_" + std::to_string(n), std::move(functions), {n})), ...);
  const auto m = g.add("map", reshape{map}, {n});
  g[g.add("y", net::relu{}, {m})].output = true;
  return same_behind<pass::split_maps>(std::move(g));
}

std::size_t largest_of(const graph& g) {
  std::size_t most = 0;
  for (graph::id n = 0; n < g.size(); ++n)
    if (const auto* f = std::get_if<fully_connected>(&g[n].op))
      most = std::max(most, static_cast<std::size_t>(f->outputs));
  return most;
}

bool has(const graph& g, const std::string& name) {
  for (graph::id n = 0; n < g.size(); ++n)
    if (g[n].name == name) return true;
  return false;
}

}  // namespace

TEST_CASE("maps of more kernels than a convolution has are made of parts of their channels") {
  const auto g = map_behind({256, 7, 7});
  CHECK(largest_of(g) == 160 * 7 * 7);  // whole atoms of channels
  CHECK(has(g, "vector"));  // the map, whose order it has
  CHECK(has(g, "vector/rows"));
  CHECK(largest_of(map_behind({70, 14, 14})) == 32 * 14 * 14);
}

TEST_CASE("functions between the layer and the map stay between them") {
  const auto g = map_behind({200, 8, 8}, prelu{.slope = {0.1F}}, activation{function::sigmoid});
  CHECK(largest_of(g) == 128 * 64);
  CHECK(has(g, "function_2"));  // the map
  CHECK(has(g, "function_2/rows"));
  CHECK(has(g, "function_1/rows"));
  CHECK_FALSE(has(g, "vector"));
}

TEST_CASE("maps that a convolution has kernels for, and those of few channels, stay") {
  CHECK(has(map_behind({128, 8, 8}), "map"));
  CHECK(has(map_behind({5, 60, 60}), "map"));
  CHECK(has(map_behind({20, 24, 24}), "map"));  // an atom of channels alone takes too many
  std::vector<float> each(200 * 64);
  CHECK(has(map_behind({200, 8, 8}, prelu{.slope = std::move(each)}), "map"));
}
