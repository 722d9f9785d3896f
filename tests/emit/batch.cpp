// SPDX-License-Identifier: Apache-2.0
// Programs for several pictures: each comes out as it does alone, and the weights are there once.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"
#include "random_graph.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

std::uint64_t weights_of(const plan::program_data& p) {
  std::uint64_t size = 0;
  for (const auto& b : p.buffers)
    if (b.memory == plan::memory::weights) size += b.size;
  return size;
}

// The convolutions of 1x1 over maps that are computed for all pictures at once.
std::size_t maps_of_all(const plan::program_data& p) {
  std::size_t maps = 0;
  for (const auto& task : p.tasks)
    for (const auto& operation : task.operations) {
      const auto* conv = std::get_if<layer::convolution>(&operation.layer.what);
      maps += conv != nullptr && conv->window == net::window{} && conv->output.w > 1 &&
              operation.layer.name.view().find('@') == std::string_view::npos;
    }
  return maps;
}

// In as many pictures as there are feeds; gives the number of maps_of_all.
std::size_t expect_each(const cli::target& t, const quantised::graph& g,
                 const std::vector<std::vector<quantised::feed>>& pictures) {
  compile_options options;
  options.batch = static_cast<int>(pictures.size());
  compiled batch(t, g, options);
  CHECK(weights_of(batch.program()) == weights_of(compiled(t, g).program()));
  std::vector<quantised::feed> all;
  std::vector<net::any_tensor> expected;
  for (const auto& feeds : pictures) {
    all.insert(all.end(), feeds.begin(), feeds.end());
    const auto each = quantised::evaluate_any(
        g, std::span<const quantised::feed>(feeds), quantised::order_of(t.spec()));
    expected.insert(expected.end(), each.begin(), each.end());
  }
  CHECK((batch.infer_any(all) == expected));
  CHECK(batch.trace_differences(all) == 0);
  return maps_of_all(batch.program());
}

// A convolution of 1x1, with the sum of a tensor where two are given.
quantised::graph::id pointwise(quantised::graph& g, const std::string& name,
                               const std::vector<quantised::graph::id>& inputs,
                               std::int32_t kernels, std::mt19937_64& random) {
  quantised::convolution op{.kernels = kernels};
  fill_evenly(op, g[inputs[0]].shape.c, random);
  const auto n = g.add(name, op, inputs);
  net::infer_shapes(g);
  return n;
}

}  // namespace

TEST_CASE("the pictures of a batch come out as each does alone") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    CAPTURE(seed);
    const auto narrow = random_graph::make(seed);
    std::vector<std::vector<quantised::feed>> pictures;
    for (std::uint64_t i = 0; i < 2 + seed % 3; ++i)
      pictures.push_back(wide_graph::feeds(narrow, 10 * seed + i));
    expect_each(hardware<nv_small>(), narrow, pictures);
    const auto wide = wide_graph::make(seed, hw::precision::fp16, {.lookups = true});
    if (wide_graph::is_too_large<nv_full>(wide)) continue;
    pictures.clear();
    for (std::uint64_t i = 0; i < 3; ++i)
      pictures.push_back(wide_graph::feeds(wide, 10 * seed + i));
    expect_each(hardware<nv_full>(), wide, pictures);
  }
}

TEST_CASE("inputs and outputs of a batch are numbered") {
  const auto g = random_graph::make(3);
  compile_options options;
  options.batch = 2;
  const compiled batch(hardware<nv_small>(), g, options);
  const auto inputs = net::input_nodes(g);
  REQUIRE(batch.program().inputs.size() == 2 * inputs.size());
  CHECK(batch.program().inputs.front().name == g[inputs[0]].name + "@1");
  CHECK(batch.program().inputs[inputs.size()].name == g[inputs[0]].name + "@2");
  for (const int wrong : {0, -1, 1025}) {
    options.batch = wrong;
    CHECK_THROWS_AS(compiled(hardware<nv_small>(), g, options), error);
  }
}

TEST_CASE("small maps of a batch are computed at once where that is faster") {
  std::mt19937_64 values(5);
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{32, 7, 7}});
  net::infer_shapes(g);
  const auto one = pointwise(g, "one", {in}, 128, values);
  const auto two = pointwise(g, "two", {one}, 128, values);
  const auto sum = pointwise(g, "sum", {two, one}, 128, values);
  g[pointwise(g, "out", {sum}, 32, values)].output = true;
  const auto cycles = [&](int pictures) {
    compile_options options;
    options.batch = pictures;
    return cost::cycles<nv_large>(build<nv_large>(g, options)).totals.cycles;
  };
  CHECK(cycles(4) < 3 * cycles(1));
  std::vector<std::vector<quantised::feed>> pictures;
  for (std::uint64_t i = 0; i < 4; ++i) pictures.push_back(wide_graph::feeds(g, i));
  CHECK(expect_each(hardware<nv_large>(), g, pictures) == 2);  // "two" and "sum"

  std::size_t maps = 0;
  for (std::uint64_t seed = 100; seed < 180; ++seed) {
    CAPTURE(seed);
    const auto random = random_graph::make(seed);
    pictures.clear();
    for (std::uint64_t i = 0; i < 2 + seed % 3; ++i)
      pictures.push_back(wide_graph::feeds(random, 10 * seed + i));
    maps += expect_each(hardware<nv_large>(), random, pictures);
  }
  CHECK(maps > 8);
}
