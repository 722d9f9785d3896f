// SPDX-License-Identifier: Apache-2.0
#include "shrink_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "random_model.hpp"

using namespace nvdlac::judge;

namespace {

bool has_clipped_convolution(const model& m) {
  return std::ranges::any_of(m.nodes, [&](const node& n) {
    return (n.type == "Clip" || n.type == "Relu") &&
           std::ranges::any_of(m.nodes, [&](const node& from) {
             return from.type == "Conv" && from.outputs[0] == n.inputs[0];
           });
  });
}

}  // namespace

TEST_CASE("a failing model shrinks to what it needs to fail") {
  int shrunk_ones = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto m = random_model(seed, {.quantised = false});
    if (!has_clipped_convolution(pruned(m))) continue;
    CAPTURE(seed);
    const auto least = shrunk(pruned(m), has_clipped_convolution);
    CHECK(has_clipped_convolution(least));
    CHECK(least.nodes.size() == 2);
    CHECK(least.inputs.size() == 1);
    CHECK(least.outputs.size() == 1);
    ++shrunk_ones;
  }
  CHECK(shrunk_ones > 10);
}

TEST_CASE("shrinking ends after as many questions as it may ask") {
  std::size_t asked = 0;
  (void)shrunk(random_model(7), [&](const model&) { return ++asked, false; }, 5);
  CHECK(asked <= 5);
}
