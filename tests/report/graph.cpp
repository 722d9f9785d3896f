// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <doctest/doctest.h>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/verify.hpp>

using namespace nvdlac;

namespace {

net::graph network() {
  net::graph g;
  const auto data = g.add("the \"data\"", net::input{{1, 6, 6}});
  const auto conv =
      g.add("conv", net::convolution{.kernels = 2, .weights = {1, 2}, .relu = true}, {data});
  const auto pool = g.add("pool",
                          net::pool{.kind = net::pool_kind::average,
                                    .window = {.kernel_h = 2, .kernel_w = 3, .pad_right = 1}},
                          {conv});
  g[pool].output = true;
  net::infer_shapes(g);
  return g;
}

}  // namespace

TEST_CASE("a graph as text") {
  std::ostringstream out;
  net::dump(out, network());
  CHECK(out.str() ==
        "the \"data\" = input shape=1x6x6 () : 1x6x6\n"
        "conv = convolution kernels=2 window=1x1 stride=1x1 weights[2] relu "
        "(the \"data\") : 2x6x6\n"
        "pool = pool average window=2x3 stride=1x1 pads=0,0,0,1 (conv) : 2x5x5 [output]\n");
}

TEST_CASE("a graph in Graphviz's language") {
  std::ostringstream out;
  net::graphviz(out, network());
  CHECK(
      out.str() ==
      "digraph \"network\" {\n"
      "  node [shape=box];\n"
      "  n0 [label=\"the \\\"data\\\"\\ninput shape=1x6x6\\n1x6x6\"];\n"
      "  n1 [label=\"conv\\nconvolution kernels=2 window=1x1 stride=1x1 weights[2] relu\\n"
        "2x6x6\"];\n"
      "  n2 [label=\"pool\\npool average window=2x3 stride=1x1 pads=0,0,0,1\\n2x5x5\" "
        "peripheries=2];\n"
      "  n0 -> n1;\n"
      "  n1 -> n2;\n"
      "}\n");
}
