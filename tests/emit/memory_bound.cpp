// SPDX-License-Identifier: Apache-2.0
// Programs for a memory narrower than the configuration's interface, and lines that are not read.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "../disagreement.hpp"
#include "../nightly.hpp"
#include "../random_graph.hpp"
#include "../scheduled.hpp"
#include "planned.hpp"

using namespace nvdlac;

namespace {

quantised::graph one_layer(net::shape in, const quantised::convolution& op) {
  quantised::graph g;
  const auto conv = g.add("conv", op, {g.add("data", quantised::input{in})});
  g[conv].output = true;
  net::infer_shapes(g);
  return g;
}
std::vector<layer::convolution> convolutions(const plan::program_data& p) {
  std::vector<layer::convolution> all;
  for (const auto& t : p.tasks)
    for (const auto& o : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&o.layer.what)) all.push_back(*c);
  return all;
}
template <class Hw>
compile_options with_width(std::uint64_t bytes) {
  compile_options options;
  options.memory = cost::memory_of(Hw::spec);
  options.memory->width = bytes;
  return options;
}

}  // namespace

TEST_CASE("a kernel of one line reads those alone that it does not step over") {
  for (const std::int32_t height : {11, 12}) {
    const auto g = one_layer({32, height, 12}, kernels_of(40, 32, {.stride = 2}));
    std::int32_t lines = 0;
    for (const auto& c : convolutions(planned(hardware<nv_small>(), g))) {
      CHECK(c.window == net::window{.stride_w = 2});
      CHECK(c.input.line_stride == 2 * 12 * 8);
      lines += c.input.shape.h;
    }
    CHECK(lines == 6);
    CHECK(disagreement(hardware<nv_small>(), g, random_graph::feeds) == "");
    CHECK(disagreement(hardware<nv_full>(), g, random_graph::feeds) == "");
  }
}

TEST_CASE("one convolution may step over lines that another one reads") {
  for (const std::int32_t size : {16, 56}) {
    quantised::graph g;
    const auto in = g.add("data", quantised::input{{64, size, size}});
    g[g.add("wide", kernels_of(64, 64, {.kernel = 3, .stride = 2, .pad = 1}), {in})].output = true;
    g[g.add("narrow", kernels_of(64, 64, {.stride = 2}), {in})].output = true;
    net::infer_shapes(g);
    CHECK(disagreement(hardware<nv_small>(), g, random_graph::feeds) == "");
    CHECK(disagreement(hardware<nv_large>(), g, random_graph::feeds) == "");
  }
}

TEST_CASE("layers that wait for the memory have other passes, of fewer bytes and cycles") {
  const auto g = one_layer({256, 28, 28}, kernels_of(256, 256));
  const auto wide = planned(hardware<nv_small>(), g);
  const auto options = with_width<nv_small>(1);
  const auto narrow = planned(hardware<nv_small>(), g, options);
  const auto bytes = [](const plan::program_data& p) {
    return cost::cycles(p.tasks, nv_small::spec, cost::memory_of(nv_small::spec)).totals.read;
  };
  const auto cycles = [&](const plan::program_data& p) {
    return cost::cycles(p.tasks, nv_small::spec, *options.memory).totals.cycles;
  };
  CHECK(bytes(narrow) < bytes(wide));
  CHECK(10 * cycles(narrow) < 9 * cycles(wide));
  CHECK(disagreement(hardware<nv_small>(), g, random_graph::feeds, options) == "");
}

TEST_CASE("random layers in passes for narrow memories agree with the reference") {
  std::mt19937_64 random(5600);
  const auto one_of = [&](std::initializer_list<std::int32_t> all) {
    return all.begin()[random() % all.size()];
  };
  std::size_t others = 0;  // programs in other passes
  for (std::size_t n = 0; n < drawn(20U); ++n) {
    const auto channels = one_of({64, 128, 256}), kernels = one_of({40, 128, 256});
    const auto size = one_of({20, 28, 33});
    const auto window = one_of({0, 1}) == 0 ? net::square{.stride = one_of({1, 2})}
                                            : net::square{.kernel = 3, .pad = 1};
    auto op = kernels_of(kernels, channels, window);
    for (auto& w : op.weights.changeable()) w = static_cast<std::int8_t>(random());
    op.shift = 20;
    const auto g = one_layer({channels, size, size}, op);
    const auto narrow = with_width<nv_small>(1);
    CAPTURE(g.shape(0));
    CAPTURE(g.shape(1));
    CHECK(disagreement(hardware<nv_small>(), g, random_graph::feeds, narrow) == "");
    auto as_found = narrow;
    as_found.without.insert("pace_passes");
    others += convolutions(planned(hardware<nv_small>(), g, narrow)).size() !=
              convolutions(planned(hardware<nv_small>(), g, as_found)).size();
  }
  CHECK(others > 0);
}
