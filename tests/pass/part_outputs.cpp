// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/part_outputs.hpp>

#include "../in_file.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

convolution pointwise(std::mt19937& random, std::int32_t kernels, std::int32_t channels) {
  convolution c{.kernels = kernels, .window = {.kernel_h = 1, .kernel_w = 1}};
  for (std::int32_t i = 0; i < kernels * channels; ++i)
    c.weights.push_back(static_cast<float>(random() % 17) - 8);
  return c;
}

// Two or three branches of a picture of 3x4x5, whose channels are as many.
struct branches {
  graph g{};
  std::mt19937 random{3};
  graph::id in = 0;
  std::vector<graph::id> of{};

  explicit branches(std::initializer_list<std::int32_t> channels) {
    in = g.add("in", input{{3, 4, 5}});
    for (const auto c : channels)
      of.push_back(g.add(text("b", of.size()), pointwise(random, c, 3), {in}));
  }
  void end(graph::id n, file_tensor form) {
    g[n].output = true;
    g[n].in_file = {std::move(form)};
    infer_shapes(g);
  }
  // Runs the pass; how many outputs there are then, which must mean the same to the user.
  std::size_t run() {
    float_tensor x{{3, 4, 5}};
    for (float& v : x.values) v = static_cast<float>(random() % 100);
    const auto before = in_file::outputs(g, x);
    pass::part_outputs::run(g);
    infer_shapes(g);
    CHECK(verify(g).empty());
    const auto after = in_file::outputs(g, x);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      CHECK(after[i].name == before[i].name);
      CHECK(after[i].shape == before[i].shape);
      CHECK(after[i].values == before[i].values);
    }
    return g.outputs().size();
  }
};

}  // namespace

TEST_CASE("a concat that ends in an output is left to whoever reads it") {
  branches b{4, 20, 3};
  b.end(b.g.add("y", concat{}, b.of), {.name = "y", .shape = {1, 27, 4, 5}});
  CHECK(b.run() == 3);
  CHECK(b.g.size() == 4);
  const auto& last = b.g[b.g.outputs()[1]].in_file.at(0);
  CHECK(last.first == 80);
  CHECK(last.shape == std::vector<std::int32_t>{1, 27, 4, 5});
}

TEST_CASE("reshapes before and behind a concat, and an order of the file, go with it") {
  SUBCASE("boxes and scores") {
    branches b{4, 20};
    std::vector<graph::id> flat;
    for (std::size_t i = 0; i < 2; ++i)
      flat.push_back(b.g.add(text("r", i), reshape{{i == 0 ? 4 : 20, 20, 1}}, {b.of[i]}));
    b.end(b.g.add("y", concat{}, flat), {.name = "y", .shape = {1, 24, 20}});
    CHECK(b.run() == 2);
  }
  SUBCASE("elements of a place stand together") {
    branches b{4, 20};
    const auto y = b.g.add("y", concat{}, b.of);
    b.end(b.g.add("r", reshape{{24, 20, 1}}, {y}),
          {.name = "y", .shape = {1, 20, 24}, .walk = {{20, 1}, {24, 20}}});
    CHECK(b.run() == 2);
    CHECK(b.g.size() == 3);
  }
  SUBCASE("levels below each other, each of two parts") {
    branches b{2, 3, 2, 3};
    std::vector<graph::id> levels;
    for (std::size_t i = 0; i < 4; i += 2) {
      const auto joined = b.g.add(text("c", i), concat{}, {b.of[i], b.of[i + 1]});
      levels.push_back(b.g.add(text("r", i), reshape{{5, 20, 1}}, {joined}));
    }
    const std::vector shapes(2, shape{5, 20, 1});
    b.end(b.g.add("y", stack(shapes, false), levels),
          {.name = "y", .shape = {1, 40, 5}, .walk = {{40, 1}, {5, 40}}});
    CHECK(b.run() == 4);
    CHECK(b.g.size() == 5);
  }
  SUBCASE("a transposition before it") {
    branches b{4, 4};
    std::vector<std::int32_t> from;
    for (std::int32_t y = 0; y < 4; ++y)
      for (std::int32_t c = 0; c < 4; ++c)
        for (std::int32_t x = 0; x < 5; ++x) from.push_back((c * 4 + y) * 5 + x);
    const auto t = b.g.add("t", move{{4, 4, 5}, find_boxes(from, {4, 4, 5}, {4, 4, 5})}, {b.of[0]});
    b.end(b.g.add("y", concat{}, {t, b.of[1]}), {.name = "y", .shape = {1, 8, 4, 5}});
    CHECK(b.run() == 2);
    CHECK(b.g.size() == 3);
  }
}

TEST_CASE("what others read, or what no layer gives, stays a concat") {
  SUBCASE("a layer reads it") {
    branches b{4, 20};
    const auto y = b.g.add("y", concat{}, b.of);
    b.end(y, {.name = "y", .shape = {1, 24, 4, 5}});
    b.end(b.g.add("z", relu{}, {y}), {.name = "z", .shape = {1, 24, 4, 5}, .place = 1});
    CHECK(b.run() == 2);
    CHECK(b.g.size() == 5);
  }
  SUBCASE("an input of the network") {
    branches b{4};
    b.end(b.g.add("y", concat{}, {b.of[0], b.in}), {.name = "y", .shape = {1, 7, 4, 5}});
    CHECK(b.run() == 1);
  }
  SUBCASE("the same twice") {
    branches b{4};
    b.end(b.g.add("y", concat{}, {b.of[0], b.of[0]}), {.name = "y", .shape = {1, 8, 4, 5}});
    CHECK(b.run() == 1);
  }
  SUBCASE("a network that no file tells of") {
    branches b{4, 20};
    const auto y = b.g.add("y", concat{}, b.of);
    b.g[y].output = true;
    infer_shapes(b.g);
    CHECK(b.run() == 1);
  }
}

TEST_CASE("a tensor is a part of one output and another output at the same time") {
  branches b{4, 20};
  b.end(b.of[0], {.name = "boxes", .shape = {1, 4, 4, 5}, .place = 1});
  b.end(b.g.add("y", concat{}, b.of), {.name = "y", .shape = {1, 24, 4, 5}});
  CHECK(b.run() == 2);
  CHECK(b.g[b.g.outputs()[0]].in_file.size() == 2);
}

TEST_CASE("parts that do not fit their tensor are told from those that do") {
  const net::shape cube{2, 2, 3};
  const file_tensor good{.shape = {24}, .walk = {{12, 1}}, .first = 12, .spread = {1}};
  CHECK(good.fits(cube));
  auto wrong = good;
  wrong.first = 13;
  CHECK_FALSE(wrong.fits(cube));
  wrong = good;
  wrong.first = -1;
  CHECK_FALSE(wrong.fits(cube));
  wrong = good;
  wrong.spread = {1, 1};
  CHECK_FALSE(wrong.fits(cube));
  wrong = good;
  wrong.spread = {0};
  CHECK_FALSE(wrong.fits(cube));
  wrong = good;
  wrong.walk = {{4, 3}, {3, 1}};
  wrong.spread = {2, 1};  // some twice
  CHECK_FALSE(wrong.fits(cube));
  wrong.spread = {3, 1};
  CHECK(wrong.fits(cube));
}
