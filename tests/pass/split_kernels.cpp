// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <utility>
#include <variant>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/split.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// The nodes that the pass makes of one operator, which gives the same values then.
std::size_t nodes_of(shape in, graph::any_operator op) {
  graph g;
  const auto data = g.add("data", input{in}, {});
  g[g.add("x", std::move(op), {data})].output = true;
  infer_shapes(g);
  float_tensor x{in};
  x.values = randomness(7).reals(in.size());
  const auto before = evaluate(g, x);
  pass::split_kernels::run(g);
  REQUIRE(verify(g).empty());
  CHECK(g[g.outputs().at(0)].name == "x");
  CHECK(evaluate(g, x) == before);
  return g.size();
}

}  // namespace

TEST_CASE("kernels beyond a convolution's are computed in parts, which change nothing") {
  randomness random(1);
  const auto filter = [&](std::int32_t kernels, std::int32_t groups) {
    convolution op{.kernels = kernels, .window = {.kernel_h = 1, .kernel_w = 2}, .groups = groups,
                   .relu = true};
    op.weights = random.reals(static_cast<std::size_t>(op.weight_count({2, 2, 3})));
    op.bias = random.reals(static_cast<std::size_t>(kernels));
    return op;
  };
  CHECK(nodes_of({2, 2, 3}, filter(8192, 1)) == 2);
  CHECK(nodes_of({2, 2, 3}, filter(8193, 1)) == 4);
  CHECK(nodes_of({2, 2, 3}, filter(16386, 2)) == 2);
  fully_connected words{.outputs = 3 * 8192, .weights = random.reals(3 * 8192 * 4)};
  CHECK(nodes_of({2, 1, 2}, words) == 5);
  words.bias = random.reals(3 * 8192);
  CHECK(nodes_of({2, 1, 2}, words) == 5);
}
