// SPDX-License-Identifier: Apache-2.0
// The branches with which RepVGG is trained, which one convolution computes.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "../net/random.hpp"
#include "compiled.hpp"

using namespace nvdlac;

namespace {

constexpr net::shape size{16, 12, 12};

// A convolution, and behind it relu(conv3x3(x) + conv1x1(x) + x).
net::graph block() {
  randomness random(5);
  net::graph g;
  const auto filter = [&](std::int32_t kernel) {
    const std::int32_t pad = kernel / 2;
    net::convolution c{.kernels = size.c,
                       .window = {.kernel_h = kernel, .kernel_w = kernel, .pad_top = pad,
                                  .pad_left = pad, .pad_bottom = pad, .pad_right = pad}};
    c.weights = random.reals(static_cast<std::size_t>(size.c * size.c * kernel * kernel));
    for (float& w : c.weights) w /= 8;
    return c;
  };
  const auto data = g.add("data", net::input{size});
  auto first = filter(3);
  first.relu = true;
  const auto x = g.add("x", first, {data});
  const auto large = g.add("large", filter(3), {x}), small = g.add("small", filter(1), {x});
  const auto both = g.add("both", net::add{}, {large, small});
  g[g.add("y", net::add{.relu = true}, {both, x})].output = true;
  net::infer_shapes(g);
  return g;
}

}  // namespace

TEST_CASE("branches of one tensor are one convolution, which takes fewer cycles") {
  randomness random(11);
  std::vector<sample> pictures;
  for (int i = 0; i < 4; ++i) pictures.push_back({{size, random.reals(size.size())}});
  const auto g = block();
  for (const auto p : {hw::precision::int8, hw::precision::fp16}) {
    CAPTURE(p);
    std::array<std::uint64_t, 2> cycles{};
    for (const bool joined : {false, true}) {
      compile_options options;
      options.precision = p;
      if (!joined) options.without = {"join_branches"};
      const auto prepared =
          prepare_for<nv_full>(g, std::span<const sample>(pictures), options);
      CHECK((prepared.integers.size() == 3) == joined);
      compiled chip(hardware<nv_full>(), prepared.integers, options);
      const auto memory = cost::memory_of(nv_full::spec);
      cycles[joined] =
          cost::cycles(chip.program().tasks, nv_full::spec, memory).totals.cycles;
      const auto& in = chip.program().inputs[0];
      const std::vector feeds{quantised::feed_of(
          quantised::numbers_of(pictures[0][0], in.scale, in.surface.precision))};
      CHECK((chip.infer_any(feeds) ==
             quantised::evaluate_any(prepared.integers, std::span<const quantised::feed>(feeds),
                                     quantised::order_of(nv_full::spec))));
    }
    CHECK(cycles[1] < cycles[0]);
  }
}
