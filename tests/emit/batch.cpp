// SPDX-License-Identifier: Apache-2.0
// Programs for several pictures: each comes out as it does alone, and the weights are there once.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"
#include "nightly.hpp"
#include "planned.hpp"
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

// The convolutions in batch mode, and those of 1x1 beside them that take each picture for a line.
struct shared_layers {
  std::size_t in_batch_mode = 0, as_lines = 0;
};
shared_layers shared_layers_of(const plan::program_data& p) {
  shared_layers found;
  for (const auto& task : p.tasks)
    for (const auto& operation : task.operations) {
      const auto* conv = std::get_if<layer::convolution>(&operation.layer.what);
      if (conv == nullptr) continue;
      found.in_batch_mode += conv->input.pictures > 1;
      found.as_lines += !conv->is_pixel() && conv->input.shape.h > 1 &&
                        conv->input.line_stride > conv->input.surface_stride;
    }
  return found;
}

// In as many pictures as there are feeds; gives the number of maps_of_all.
std::size_t expect_each(const cli::target& t, const quantised::graph& g,
                        const std::vector<std::vector<quantised::feed>>& pictures,
                        compile_options options = {}, shared_layers* shared = nullptr) {
  options.batch = static_cast<int>(pictures.size());
  compiled batch(t, g, options);
  const auto weights = weights_of(batch.program());
  const auto alone = [&](const compile_options& how) {
    auto p = compiled(t, g, how).program();
    // Kernels that stand transposed may have other padding.
    return p.transposed == batch.program().transposed ? weights_of(p) : weights;
  };
  if (shared == nullptr) CHECK(weights == alone({}));
  compile_options plain;  // which weights are compressed depends on the layers that read them
  plain.without = {"compress"};
  CHECK(weights <= alone(plain));
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
  if (shared != nullptr) {
    const auto more = shared_layers_of(batch.program());
    shared->in_batch_mode += more.in_batch_mode;
    shared->as_lines += more.as_lines;
  }
  return maps_of_all(batch.program());
}

compile_options in_batch_mode(lower::batch_mode_use use = lower::batch_mode_use::forced) {
  compile_options options;
  options.batch_mode = use;
  return options;
}

// A convolution in int8 over one tensor, or with the sum of another one.
quantised::graph::id convolve(quantised::graph& g, const std::string& name,
                              const std::vector<quantised::graph::id>& inputs,
                              std::int32_t kernels, net::window window, std::mt19937_64& random) {
  quantised::convolution op{.kernels = kernels, .window = window};
  fill_evenly(op, g[inputs[0]].shape.c, random);
  const auto n = g.add(name, op, inputs);
  net::infer_shapes(g);
  return n;
}
net::window same_size(std::int32_t kernel) {
  const auto pad = kernel / 2;
  return {.kernel_h = kernel, .kernel_w = kernel, .pad_top = pad, .pad_left = pad,
          .pad_bottom = pad, .pad_right = pad};
}
// Blocks of a residual network between a first and a last layer.
quantised::graph bottlenecks(std::int32_t channels, std::int32_t side, int blocks) {
  std::mt19937_64 random(7);
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{32, side, side}});
  net::infer_shapes(g);
  auto last = convolve(g, "first", {in}, 4 * channels, same_size(3), random);
  for (int i = 0; i < blocks; ++i) {
    const auto name = [&](const char* part) { return "block" + std::to_string(i) + part; };
    const auto a = convolve(g, name("a"), {last}, channels, {}, random);
    const auto b = convolve(g, name("b"), {a}, channels, same_size(3), random);
    last = convolve(g, name("sum"), {b, last}, 4 * channels, {}, random);
  }
  g[convolve(g, "last", {last}, 16, {}, random)].output = true;
  return g;
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

TEST_CASE("fully connected layers that give outputs are computed at once where that is faster") {
  std::mt19937_64 values(6);
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{64, 1, 1}});
  net::infer_shapes(g);
  const auto hidden = convolve(g, "hidden", {in}, 96, {}, values);
  const auto early = convolve(g, "early", {hidden}, 40, {}, values);
  g[early].output = true;  // and read by the next one
  g[convolve(g, "late", {early}, 200, {}, values)].output = true;
  std::vector<std::vector<quantised::feed>> pictures;
  for (std::uint64_t i = 0; i < 5; ++i) pictures.push_back(wide_graph::feeds(g, i));
  expect_each(hardware<nv_small>(), g, pictures);
  expect_each(hardware<nv_large>(), g, pictures);

  compile_options options;
  const auto one = built<nv_small>(g, options);
  options.batch = 5;
  const auto five = built<nv_small>(g, options);
  const auto cycles = [](const auto& p) { return cost::cycles<nv_small>(p).totals.cycles; };
  CHECK(2 * cycles(five) < 5 * cycles(one));
  std::size_t convolutions = 0;
  for (const auto& task : five.tasks)
    for (const auto& operation : task.operations)
      convolutions += std::holds_alternative<layer::convolution>(operation.layer.what);
  CHECK(convolutions == 3);
}

TEST_CASE("small maps of a batch are computed at once where that is faster") {
  std::mt19937_64 values(5);
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{32, 7, 7}});
  net::infer_shapes(g);
  const auto one = convolve(g, "one", {in}, 128, {}, values);
  const auto two = convolve(g, "two", {one}, 128, {}, values);
  const auto sum = convolve(g, "sum", {two, one}, 128, {}, values);
  g[convolve(g, "out", {sum}, 32, {}, values)].output = true;
  const auto cycles = [&](int pictures) {
    compile_options options;
    options.batch = pictures;
    return cost::cycles<nv_large>(built<nv_large>(g, options)).totals.cycles;
  };
  CHECK(cycles(4) < 3 * cycles(1));
  std::vector<std::vector<quantised::feed>> pictures;
  for (std::uint64_t i = 0; i < 4; ++i) pictures.push_back(wide_graph::feeds(g, i));
  CHECK(expect_each(hardware<nv_large>(), g, pictures) > 1);

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

TEST_CASE("random networks in batch mode come out as each picture does alone") {
  shared_layers shared;
  const auto run = [&](const quantised::graph& g, std::uint64_t seed) {
    CAPTURE(seed);
    std::vector<std::vector<quantised::feed>> pictures;
    for (std::uint64_t i = 0; i < 2 + seed % 8; ++i)
      pictures.push_back(wide_graph::feeds(g, 10 * seed + i));
    expect_each(hardware<nv_full>(), g, pictures, in_batch_mode(), &shared);
  };
  for (std::uint64_t seed = 0; seed < drawn(240U); ++seed) run(random_graph::make(seed), seed);
  for (std::uint64_t seed = 0; seed < drawn(60U); ++seed) {
    using enum hw::precision;
    const auto g = wide_graph::make_mixed(seed, seed % 2 == 0 ? int16 : fp16);
    if (!wide_graph::is_too_large<nv_full>(g)) run(g, seed);
  }
  CHECK(shared.in_batch_mode > occurring(60U));
}

TEST_CASE("batch mode takes over in a residual network, with lines of pictures for its sums") {
  for (const std::int32_t side : {7, 8}) {  // 7 atoms are no whole pairs, and are copied
    const auto g = bottlenecks(64, side, 3);
    std::size_t as_lines = 0;
    for (const std::size_t count : {2u, 5u, 8u, 33u}) {
      CAPTURE(side);
      CAPTURE(count);
      std::vector<std::vector<quantised::feed>> pictures;
      for (std::size_t i = 0; i < count; ++i) pictures.push_back(wide_graph::feeds(g, i));
      shared_layers shared;
      expect_each(hardware<nv_full>(), g, pictures, in_batch_mode(), &shared);
      CHECK(shared.in_batch_mode > 3);
      as_lines += shared.as_lines;
    }
    CHECK(as_lines > 0);
  }
}

TEST_CASE("batch mode is chosen where it takes fewer cycles, and nowhere else") {
  const auto g = bottlenecks(256, 4, 3);  // the CBUF does not hold the weights of a kernel of 3x3
  const auto cycles = [&](const compile_options& given) {
    auto options = given;
    options.batch = 8;
    const compiled p(hardware<nv_full>(), g, options);
    return std::pair(cost::cycles(p.program().tasks, nv_full::spec,
                                  cost::memory_of(nv_full::spec)).totals.cycles,
                     shared_layers_of(p.program()));
  };
  compile_options without;
  without.without = {"batch_mode"};
  const auto [now, shared] = cycles({});
  const auto [before, none] = cycles(without);
  const auto [off, nothing] = cycles(in_batch_mode(lower::batch_mode_use::off));
  CHECK(shared.in_batch_mode >= 3);
  CHECK(shared.as_lines >= 2);
  CHECK(none.in_batch_mode == 0);
  CHECK(off == before);
  CHECK(nothing.in_batch_mode == 0);
  CHECK(2 * now < before);
  std::vector<std::vector<quantised::feed>> pictures;
  for (std::uint64_t i = 0; i < 8; ++i) pictures.push_back(wide_graph::feeds(g, i));
  expect_each(hardware<nv_full>(), g, pictures);

  // A configuration without the mode does not know it.
  compile_options forced = in_batch_mode();
  forced.batch = 4;
  const compiled other(hardware<nv_large>(), g, forced);
  CHECK(shared_layers_of(other.program()).in_batch_mode == 0);
}
