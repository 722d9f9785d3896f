// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

#include "tests/net/random.hpp"

// The network of one input behind a pass, whose outputs have the values of before, within rounding.
template <class Pass>
nvdlac::net::graph same_behind(nvdlac::net::graph g) {
  nvdlac::net::infer_shapes(g);
  const auto x = randomness(7).tensor(g[0].shape);
  const auto before = nvdlac::net::evaluate(g, x);
  Pass::run(g);
  nvdlac::net::infer_shapes(g);
  REQUIRE(nvdlac::net::verify(g).empty());
  const auto after = nvdlac::net::evaluate(g, x);
  REQUIRE(after.size() == before.size());
  for (std::size_t k = 0; k < after.size(); ++k) {
    REQUIRE(after[k].shape == before[k].shape);
    for (std::size_t i = 0; i < after[k].values.size(); ++i)
      CHECK(std::fabs(after[k].values[i] - before[k].values[i]) < 1e-4F);
  }
  return g;
}
