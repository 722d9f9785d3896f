// SPDX-License-Identifier: Apache-2.0
// Fully connected layers whose kernels come in passes of their own: the loadable, its trace and the
// exact integer reference agree in every byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "disagreement.hpp"
#include "planned.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

// Layers of so many kernels, one behind the other.
quantised::graph connected(net::shape in, const std::vector<std::int32_t>& kernels) {
  std::mt19937_64 random(in.size());
  quantised::graph g;
  auto last = g.add("in", quantised::input{in});
  for (const auto n : kernels) {
    quantised::convolution op;
    op.kernels = n;
    op.window.kernel_h = in.h;
    op.window.kernel_w = in.w;
    fill_evenly(op, in.c, random);
    last = g.add("fc" + std::to_string(n), op, {last});
    in = {n, 1, 1};
  }
  g[last].output = true;
  net::infer_shapes(g);
  return g;
}

// How many convolutions a program has.
std::ptrdiff_t convolutions(const plan::program_data& p) {
  std::ptrdiff_t count = 0;
  for (const auto& t : p.tasks)
    count += std::ranges::count_if(t.operations, [](const plan::operation& o) {
      return std::holds_alternative<layer::convolution>(o.layer.what);
    });
  return count;
}

// A batch of so many pictures; each must come out as it does alone. How many convolutions it takes.
template <class Hw>
std::ptrdiff_t convolutions_of_batch(const quantised::graph& g, int pictures) {
  compile_options options;
  options.batch = pictures;
  compiled batch(hardware<Hw>(), g, options);
  std::vector<quantised::feed> all;
  std::vector<net::any_tensor> expected;
  for (int i = 0; i < pictures; ++i) {
    const auto feeds = random_graph::feeds(g, 100 + static_cast<std::uint64_t>(i));
    const auto each = quantised::evaluate_any(
        g, std::span<const quantised::feed>(feeds), quantised::order_of(Hw::spec));
    all.insert(all.end(), feeds.begin(), feeds.end());
    expected.insert(expected.end(), each.begin(), each.end());
  }
  CHECK((batch.infer_any(all) == expected));
  CHECK(batch.trace_differences(all) == 0);
  return convolutions(batch.program());
}

// The kernels of each convolution of the program, which must agree with the reference.
template <class Hw>
std::vector<std::int32_t> passes(const quantised::graph& g) {
  CHECK(disagreement(hardware<Hw>(), g, random_graph::feeds) == "");
  std::vector<std::int32_t> kernels;
  for (const auto& t : planned(hardware<Hw>(), g).tasks)
    for (const auto& o : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&o.layer.what))
        kernels.push_back(c->output.c);
  return kernels;
}

}  // namespace

TEST_CASE("kernels of which the CBUF holds less than two groups come by one and a half") {
  const auto g = connected({256, 6, 6}, {40, 9});
  const auto on_small = passes<nv_small>(g);
  REQUIRE(on_small.size() > 5);
  CHECK(std::vector(on_small.begin(), on_small.begin() + 4) ==
        std::vector<std::int32_t>{13, 13, 13, 1});
  CHECK(passes<nv_large>(g) == std::vector<std::int32_t>{8, 32, 9});
  CHECK(passes<nv_full>(connected({256, 6, 6}, {108})).front() == 53);
}

TEST_CASE("kernels beyond whole groups come first where others would be waited for") {
  CHECK(passes<nv_small>(connected({64, 24, 5}, {12})) == std::vector<std::int32_t>{4, 8});
  CHECK(passes<nv_small>(connected({50, 4, 4}, {500, 10})) ==
        std::vector<std::int32_t>{4, 496, 2, 8});
  CHECK(passes<nv_small>(connected({16, 1, 1}, {12})) == std::vector<std::int32_t>{12});
  CHECK(passes<nv_small>(connected({50, 4, 4}, {496})) == std::vector<std::int32_t>{496});
}

TEST_CASE("the fully connected layers of a batch are one, the last where copies cost less") {
  const auto g = connected({20, 4, 4}, {24, 16, 9});
  for (const int pictures : {2, 3, 8}) {
    CAPTURE(pictures);
    // Copies of SDP, of which each is read while the one before is written, cost little.
    CHECK(convolutions_of_batch<nv_small>(g, pictures) == (pictures > 2 ? 3 : 2 + pictures));
    // At latencies of 1,024 and 1,200 a copy takes longer than few kernels.
    CHECK(convolutions_of_batch<nv_large>(g, pictures) == 2 + pictures);
    CHECK(convolutions_of_batch<nv_full>(g, pictures) == 2 + pictures);
  }
  CHECK(convolutions_of_batch<nv_large>(connected({256, 1, 1}, {256, 256}), 5) == 2);
  CHECK(convolutions_of_batch<nv_small>(connected({40, 1, 1}, {16, 10}), 5) == 2);
  // At most 8 of 11 pictures are computed in the time of one.
  CHECK(convolutions_of_batch<nv_small>(connected({40, 1, 1}, {16, 10}), 11) == 4);
  CHECK(convolutions_of_batch<nv_small>(connected({2, 9, 9}, {16, 10}), 4) == 4 + 1);  // stride 9
}
