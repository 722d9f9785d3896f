// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "../scheduled.hpp"
#include "../wide_graph.hpp"

using namespace nvdlac;

namespace {

// PReLU of an input of this shape by known slopes, of the same shape or one for each channel.
quantised::graph with_slopes(std::mt19937& random, net::shape in, net::shape slopes,
                             hw::precision p) {
  const auto any = [&] { return static_cast<std::int16_t>(random() >> 16); };
  quantised::constant k{.shape = slopes};
  for (std::size_t i = 0; i < slopes.size(); ++i)
    if (p == hw::precision::int8) k.values.push_back(static_cast<std::int8_t>(any()));
    else k.wide_values.push_back(static_cast<std::int16_t>(
        p == hw::precision::int16 ? any() : (any() & 0x83ff) | 0x3800));
  quantised::elementwise_prelu op{.multiplier = hw::one(p)};
  if (p != hw::precision::fp16) {
    op.multiplier = 1 << 14;
    op.shift = static_cast<std::uint8_t>(random() % 12);
    op.out = {static_cast<std::int32_t>(random() % 64), static_cast<std::int16_t>(9000 + any() / 8),
              static_cast<std::uint8_t>(26 + random() % 3)};
  }
  quantised::graph g;
  const auto x = g.add("x", quantised::input{in});
  const auto s = g.add("slopes", std::move(k));
  const auto y = g.add("y", op, {x, s});
  for (const auto n : {x, s, y}) g[n].precision = p;
  g[y].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
void expect_exact(const quantised::graph& g, std::uint64_t seed) {
  const schedule::saved plain{.configuration = std::string(hw::name<Hw>())};
  expect_exact_with<Hw>(g, plain, seed, {}, wide_graph::feeds);
}

}  // namespace

TEST_CASE("PReLU with a slope for each element is exact on the device and in traces") {
  std::mt19937 random(5);
  std::uint64_t seed = 0;
  for (const net::shape in : {net::shape{5, 4, 3}, {8, 1, 1}, {67, 9, 11}})
    for (const net::shape slopes : {in, net::shape{in.c, 1, 1}}) {
      const auto g = with_slopes(random, in, slopes, hw::precision::int8);
      expect_exact<nv_small>(g, ++seed);
      expect_exact<nv_large>(g, seed);
      expect_exact<nv_full>(g, seed);
      for (const auto p : {hw::precision::int16, hw::precision::fp16})
        expect_exact<nv_full>(with_slopes(random, in, slopes, p), ++seed);
    }
}
