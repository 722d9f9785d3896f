// SPDX-License-Identifier: Apache-2.0
// Random networks in int16 and fp16: the loadable on the simulator, its trace and the exact
// reference agree in every bit.
#include <doctest/doctest.h>

#include <nvdlac/quant/pooling.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

void expect_agreement(std::uint64_t seed, hw::precision p, random_limits limits = {},
                      bool mixed = false) {
  INFO(std::string(hw::name_of(p)) << (mixed ? ", mixed" : "") << ", seed " << seed);
  limits.lookups = true;
  const auto g = mixed ? wide_graph::make_mixed(seed, p, limits)
                       : wide_graph::make(seed, p, limits);
  if (wide_graph::is_too_large<nv_full>(g)) return;
  compiled network(hardware<nv_full>(), g);
  std::vector<quantised::feed> feeds;
  for (std::uint64_t input = 0; input < 2; ++input) {
    feeds = wide_graph::feeds(g, 10 * seed + input);
    CHECK((network.infer_any(feeds) ==
           quantised::evaluate_any(g, std::span<const quantised::feed>(feeds))));
  }
  CHECK(network.trace_differences(feeds) == 0);
}

}  // namespace

TEST_CASE("loadable, trace and reference agree in int16") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) expect_agreement(seed, hw::precision::int16);
  for (std::uint64_t seed = 60; seed < 64; ++seed)
    expect_agreement(seed, hw::precision::int16, {.layers = 4, .channels = 200, .side = 40});
}

TEST_CASE("loadable, trace and reference agree in fp16") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) expect_agreement(seed, hw::precision::fp16);
  for (std::uint64_t seed = 60; seed < 63; ++seed)
    expect_agreement(seed, hw::precision::fp16, {.layers = 4, .channels = 200, .side = 30});
}

TEST_CASE("loadable, trace and reference agree in mixed precisions") {
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    expect_agreement(seed, hw::precision::int16, {}, true);
    expect_agreement(seed, hw::precision::fp16, {}, true);
  }
}

TEST_CASE("means of int16 on CONV are those of the reference, by lines and by surfaces") {
  const net::window whole{.kernel_h = 7, .kernel_w = 7}, large{.kernel_h = 16, .kernel_w = 13},
      sliding{.kernel_h = 5, .kernel_w = 4, .stride_h = 3, .stride_w = 2},
      padded{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
             .pad_right = 1};
  const auto expect = [](net::shape in, const net::window& w) {
    CAPTURE(in.c); CAPTURE(w.kernel_h);
    quantised::graph g;
    const auto x = g.add("x", quantised::input{.shape = in});
    const auto mean = g.add("mean", quant::quantise_average(w, w.kernel_h * w.kernel_w, {1, 0.05}),
                            {x});
    for (const auto n : {x, mean}) g[n].precision = hw::precision::int16;
    g[mean].output = true;
    net::infer_shapes(g);
    compiled network(hardware<nv_full>(), g);
    const auto feeds = wide_graph::feeds(g, 5);
    CHECK((network.infer_any(feeds) ==
           quantised::evaluate_any(g, std::span<const quantised::feed>(feeds))));
    CHECK(network.trace_differences(feeds) == 0);
  };
  for (const std::int32_t channels : {3, 16, 40, 200}) {
    expect({channels, 7, 7}, whole);
    expect({channels, 16, 13}, large);
    expect({channels, 8, 11}, sliding);
    expect({channels, 6, 6}, padded);
  }
}
