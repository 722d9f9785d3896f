// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/sim/infer.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/compile.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/net/to_graph.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

TEST_CASE("real numbers in, real numbers out") {
  const auto g = to_graph(network{node{"in", input{{2, 3, 4}}}, node{"double", convolution{}}},
                          {{"double.weights", {2, -1}}});
  float_tensor x{{2, 3, 4}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = static_cast<float>(i % 7) - static_cast<float>(i % 3);
  const std::vector<sample> samples(1, {x});
  sim::runtime<nv_small> chip(emit::loadable(compile<nv_small>(g, samples)));

  const auto y = sim::infer(chip, samples[0]);
  REQUIRE(y.size() == 1);
  REQUIRE(y[0].shape == shape{1, 3, 4});
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(std::fabs(y[0].values[i] - (2 * x.values[i] - x.values[i + 12])) < 0.15F);

  CHECK_THROWS_WITH_AS(sim::infer(chip, {}), "the network has 1 inputs, not 0", error);
  float_tensor small{{2, 3, 3}};
  CHECK_THROWS_WITH_AS(sim::infer(chip, std::vector{small}),
                       "layer 'in': takes 2x3x4, not 2x3x3 with 18 values", error);
  x.values.pop_back();
  CHECK_THROWS_AS(sim::infer(chip, std::vector{x}), error);
}
