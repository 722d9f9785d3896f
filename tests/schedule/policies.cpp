// SPDX-License-Identifier: Apache-2.0
// The policies of docs/schedule.md, one for each primitive.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/standard.hpp>

#include "../scheduled.hpp"

namespace policies {

using nvdlac::schedule::choices, nvdlac::schedule::draft, nvdlac::schedule::standard;

struct passes_of_16_kernels {
  choices operator()(const draft& d) const {
    const auto other = d.tile("wide", {.kernels = 16, .weight_banks = 4});
    return other.tile(standard{}(other), "wide/k16", {6});
  }
};
struct pooling_apart {
  choices operator()(const draft& d) const { return standard{}(d.fuse({"pool"})); }
};
struct flat_first {
  choices operator()(const draft& d) const { return d.order(standard{}(d), "flat", "side"); }
};
struct side_alone {
  choices operator()(const draft& d) const { return d.keep(standard{}(d), {"side"}); }
};
struct weights_near {
  choices operator()(const draft& d) const { return d.place(standard{}(d), {"flat/weights"}); }
};

}  // namespace policies

using namespace nvdlac;

namespace {

// A convolution with a pooling behind it, which two of 1x1 read.
quantised::graph wide_side_flat() {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{32, 24, 24}});
  const auto wide = g.add("wide", kernels_of(64, 32, {.kernel = 3, .pad = 1}), {in});
  const auto pool =
      g.add("pool", quantised::pool{.window = net::square{.kernel = 2, .stride = 2}}, {wide});
  g[g.add("side", kernels_of(32, 64), {pool})].output = true;
  g[g.add("flat", kernels_of(32, 64), {pool})].output = true;
  net::infer_shapes(g);
  return g;
}

// The layers of a program in their order.
template <class Hw, class Policy>
std::vector<layer::layer> layers_of(const compile_options& options = {}) {
  std::vector<layer::layer> all;
  for (const auto& t : build<Hw, Policy>(wide_side_flat(), options).tasks)
    for (const auto& op : t.operations) all.push_back(op.layer);
  return all;
}
// Where the layer is; -1: nowhere.
std::ptrdiff_t place_of(const std::vector<layer::layer>& all, std::string_view name) {
  const auto at = std::ranges::find_if(all, [&](const auto& l) { return l.name == name; });
  return at == all.end() ? -1 : at - all.begin();
}
const layer::convolution& convolution_in(const std::vector<layer::layer>& all,
                                         std::string_view name) {
  const auto at = place_of(all, name);
  REQUIRE(at >= 0);
  return std::get<layer::convolution>(all[static_cast<std::size_t>(at)].what);
}

}  // namespace

TEST_CASE("a policy gives a convolution other passes, and one of them tiles") {
  const auto all = layers_of<nv_small, policies::passes_of_16_kernels>();
  CHECK(convolution_in(all, "wide/k16/y0").output == net::shape{16, 12, 24});
  CHECK(convolution_in(all, "wide/k16/y6").output == net::shape{16, 12, 24});
  CHECK(std::ranges::any_of(
      all, [](const auto& l) { return l.name.view().starts_with("wide/k48"); }));
}

TEST_CASE("a policy keeps a pooling apart") {
  // Whether what it pools stands in memory.
  const auto is_written = [](const auto& all) {
    return std::ranges::any_of(all, [&](const auto& l) {
      const auto* sdp = std::get_if<layer::sdp>(&l.what);
      return sdp != nullptr && l.name.view().starts_with("wide") && !sdp->output.at.on_the_fly();
    });
  };
  CHECK(is_written(layers_of<nv_small, policies::pooling_apart>()));
  CHECK_FALSE(is_written(layers_of<nv_small, schedule::standard>()));
}

TEST_CASE("a policy orders and keeps") {
  const auto first = layers_of<nv_small, policies::flat_first>();
  CHECK(place_of(first, "flat") < place_of(first, "side"));
  CHECK_FALSE(convolution_in(layers_of<nv_small, policies::side_alone>(), "side").data_reuse);
}

TEST_CASE("a policy places weights in the secondary memory") {
  auto beside = cost::cvsram_of(nv_large::spec, 4096);
  beside.weights = true;
  const auto p = build<nv_large, policies::weights_near>(wide_side_flat(), {.cvsram = beside});
  std::set<std::string> near;
  for (const auto& b : p.buffers)
    if (b.cvsram) near.insert(b.name);
  CHECK(near == std::set<std::string>{"flat/weights"});
}
