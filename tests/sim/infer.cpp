// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/sim/infer.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/infer_shapes.hpp>

#include "compiled.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

TEST_CASE("real numbers in, real numbers out") {
  integer::graph g;
  const auto in = g.add("in", integer::input{{2, 3, 4}});
  const auto out = g.add("double", integer::convolution{.weights = {2, -1}, .bias = {0},
                                                        .multiplier = {1}, .shift = 1}, {in});
  g[in].scale = 0.05;
  g[out].scale = 0.1;
  g[out].output = true;
  infer_shapes(g);
  float_tensor x{{2, 3, 4}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = static_cast<float>(i % 7) - static_cast<float>(i % 3);
  sim::runtime<nv_small> chip(compiled(hardware<nv_small>(), g).loadable());

  const auto y = sim::infer(chip, std::vector{x});
  REQUIRE(y.size() == 1);
  REQUIRE(y[0].dims == std::vector<std::size_t>{1, 1, 3, 4});
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(std::fabs(y[0].values[i] - (2 * x.values[i] - x.values[i + 12])) <= 0.05F);

  CHECK_THROWS_WITH_AS(sim::infer(chip, {}), "the network has 1 inputs, not 0", error);
  float_tensor small{{2, 3, 3}};
  CHECK_THROWS_WITH_AS(sim::infer(chip, std::vector{small}),
                       "layer 'in': takes 2x3x4, not 2x3x3 with 18 values", error);
  x.values.pop_back();
  CHECK_THROWS_AS(sim::infer(chip, std::vector{x}), error);
}
