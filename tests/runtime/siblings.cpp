// SPDX-License-Identifier: Apache-2.0
// The session shows the tensor of each of the convolutions that are one layer.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_layout.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/written_cube.hpp>

#include "random_graph.hpp"

using namespace nvdlac;

TEST_CASE("each of several convolutions in one has its tensor, by its name and scale") {
  std::mt19937_64 random(5);
  quantised::graph g;
  const auto add = [&](const char* name, quantised::graph::id from, std::int32_t kernels,
                       std::int32_t side, double scale) {
    quantised::convolution op{.kernels = kernels};
    op.window.kernel_h = op.window.kernel_w = side;
    fill_evenly(op, g.shape(from).c, random);
    const auto n = g.add(name, op, {from});
    g[n].scale = scale;
    net::infer_shapes(g);
    return n;
  };
  const auto in = g.add("in", quantised::input{{64, 5, 5}});
  net::infer_shapes(g);
  const auto left = add("part/left", in, 12, 1, 0.5), right = add("part/right", in, 8, 1, 0.25);
  g[add("far", left, 8, 3, 1)].output = g[add("farther", right, 8, 3, 1)].output = true;

  const auto program = plan::make_program<nv_small>(lower::lower<nv_small>(g, "siblings"));
  REQUIRE(program.parts.size() == 2);
  runtime::session<nv_small> session(emit::read_loadable(
      emit::write_loadable(emit::loadable_lists(program, "nv_small", nv_small::spec))));
  struct shown {
    std::string layer;
    double scale;
    net::int8_tensor values;
  };
  std::vector<shown> all;
  session.on_cube([&](const runtime::written_cube& c, std::span<const std::uint8_t> bytes) {
    shown one{std::string(c.layer.view()), c.numbers ? c.numbers->scale : 0, {c.surface.shape}};
    layer::unpack(bytes, c.surface, nv_small::spec.atom(), one.values.values);
    all.push_back(std::move(one));
  });
  const auto feeds = random_graph::feeds(g, 1);
  (void)session.infer_any(feeds);
  for (const auto n : {left, right}) {
    quantised::graph alone = g;
    for (quantised::graph::id other = 0; other < g.size(); ++other)
      alone[other].output = other == n;
    const auto exact = quantised::evaluate_any(alone, std::span<const quantised::feed>(feeds));
    const auto found = std::ranges::find(all, g[n].name + "/sdp", &shown::layer);
    REQUIRE(found != all.end());
    CHECK(found->scale == g[n].scale);
    CHECK((net::any_tensor(found->values) == exact[0]));
  }
}
