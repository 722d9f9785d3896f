// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/fold_windows.hpp>

using namespace nvdlac;

namespace {

// Whether a window over a function of a picture is folded; the results are those of before.
bool is_folded(net::shape in, std::int32_t kernels, net::window w, bool behind_function = true) {
  std::mt19937 random(static_cast<unsigned>(in.c * 100 + w.kernel_h));
  const auto number = [&] { return static_cast<float>(random() % 2001) / 1000 - 1; };
  net::graph g;
  auto last = g.add("in", net::input{in});
  if (behind_function) last = g.add("f", net::relu{}, {last});
  net::convolution c{.kernels = kernels, .window = w, .relu = kernels == 2};
  for (std::int32_t i = 0; i < kernels * in.c * w.kernel_h * w.kernel_w; ++i)
    c.weights.push_back(number());
  for (std::int32_t k = 0; k < kernels && w.kernel_h != 9; ++k) c.bias.push_back(number());
  g[g.add("y", std::move(c), {last})].output = true;
  net::infer_shapes(g);
  net::float_tensor x{in};
  for (float& v : x.values) v = number();
  const auto before = net::evaluate(g, x).at(0).values;
  pass::fold_windows::run(g);
  const auto shape = g[g.outputs().at(0)].shape;
  net::infer_shapes(g);
  CHECK(g[g.outputs().at(0)].shape == shape);
  CHECK(net::verify(g).empty());
  CHECK(g[g.outputs().at(0)].name == "y");
  const auto after = net::evaluate(g, x).at(0).values;
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(std::fabs(after[i] - before[i]) <= 1e-4F);
  return std::holds_alternative<net::move>(g[g.outputs().at(0)].op);
}

constexpr net::window same(std::int32_t kernel) {
  return {.kernel_h = kernel, .kernel_w = kernel, .pad_top = kernel / 2, .pad_left = kernel / 2,
          .pad_bottom = kernel / 2, .pad_right = kernel / 2};
}

}  // namespace

TEST_CASE("large windows over few channels take four lines at a time") {
  for (const std::int32_t channels : {1, 2})
    for (const std::int32_t kernels : {1, 2})
      for (const std::int32_t kernel : {7, 9, 13})
        CHECK(is_folded({channels, 8, 9}, kernels, same(kernel)));
  auto odd = same(7);
  odd.pad_top = 1;
  odd.pad_bottom = 5;
  CHECK(is_folded({2, 12, 5}, 1, odd));
  odd.pad_top = 6;
  odd.pad_bottom = 0;
  CHECK(is_folded({1, 4, 5}, 2, odd));
}

TEST_CASE("other windows stay") {
  CHECK_FALSE(is_folded({2, 8, 9}, 1, same(5)));
  CHECK_FALSE(is_folded({3, 8, 9}, 1, same(7)));
  CHECK_FALSE(is_folded({2, 8, 9}, 3, same(7)));
  CHECK_FALSE(is_folded({2, 10, 9}, 1, same(7)));
  auto step = same(7);
  step.stride_w = 2;
  CHECK_FALSE(is_folded({2, 8, 9}, 1, step));
  CHECK_FALSE(is_folded({1, 8, 9}, 1, same(7), false));
}

TEST_CASE("a mean and a maximum whose lines are folded stay so, and a function behind the window") {
  constexpr net::shape in{6, 8, 5}, map{1, 8, 5}, whole{2, 8, 5};
  std::mt19937 random(7);
  const auto number = [&] { return static_cast<float>(random() % 2001) / 1000 - 1; };
  const auto weights = [&](std::int32_t n) {
    std::vector<float> all;
    for (std::int32_t i = 0; i < n; ++i) all.push_back(number());
    return all;
  };
  net::graph g;
  const auto x = g.add("x", net::relu{}, {g.add("in", net::input{in})});
  const auto mean = g.add("mean", net::convolution{.kernels = 1, .weights = weights(6),
                                                   .bias = weights(1)}, {x});
  const auto folded =
      g.add("lines", net::convolution{.kernels = 4, .window = {.kernel_h = 4, .stride_h = 4},
                                      .weights = weights(96)}, {x});
  const auto most = g.add("most", pass::folding::unfold(map), {folded});
  const auto both = g.add("both", net::concat{}, {mean, most});
  const auto window =
      g.add("window", net::convolution{.kernels = 1, .window = same(7), .weights = weights(98)},
            {both});
  const auto clip = g.add("clip", net::clip{.low = -0.5F, .high = 4}, {window});
  g[g.add("y", net::activation{}, {clip})].output = true;
  net::infer_shapes(g);
  REQUIRE(g[both].shape == whole);
  net::float_tensor picture{in};
  for (float& v : picture.values) v = number();
  const auto before = net::evaluate(g, picture).at(0).values;
  pass::fold_windows::run(g);
  net::infer_shapes(g);
  CHECK(net::verify(g).empty());
  const auto after = net::evaluate(g, picture).at(0).values;
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(std::fabs(after[i] - before[i]) <= 1e-4F);
  // The mean and the maximum stay folded, and so does the window's result: one way back is left.
  std::size_t moves = 0;
  for (const auto n : g.order()) {
    moves += std::holds_alternative<net::move>(g[n].op) ? 1 : 0;
    CHECK(g[n].name != "mean");
    CHECK(g[n].name != "most");
  }
  CHECK(moves == 1);
  CHECK(std::holds_alternative<net::move>(g[g.outputs().at(0)].op));
  CHECK(g[g.outputs().at(0)].name == "y");
}

TEST_CASE("a map for all channels is computed line by line, and so is what reads it") {
  constexpr net::shape in{12, 8, 5};
  std::mt19937 random(11);
  const auto number = [&] { return static_cast<float>(random() % 2001) / 1000 - 1; };
  const auto weights = [&](std::int32_t n) {
    std::vector<float> all;
    for (std::int32_t i = 0; i < n; ++i) all.push_back(number());
    return all;
  };
  // Readers of the map: none, a product, a sum in which it is the second, or two of them.
  for (int readers = 0; readers < 4; ++readers) {
    CAPTURE(readers);
    net::graph g;
    const auto x = g.add("x", net::relu{}, {g.add("in", net::input{in})});
    const auto mean = g.add("mean", net::convolution{.kernels = 1, .weights = weights(12)}, {x});
    const auto window = g.add(
        "window", net::convolution{.kernels = 1, .window = same(7), .weights = weights(49)},
        {mean});
    const auto sigmoid = g.add("sigmoid", net::activation{}, {window});
    auto last = g.add("all", net::convolution{.kernels = 12, .weights = weights(12),
                                              .bias = weights(12)}, {sigmoid});
    if (readers == 3) g[g.add("other", net::relu{}, {last})].output = true;
    if (readers == 1 || readers == 3) last = g.add("y", net::multiply{}, {last, x});
    if (readers == 2) last = g.add("y", net::add{.relu = true}, {x, last});
    g[last].output = true;
    net::infer_shapes(g);
    net::float_tensor picture{in};
    for (float& v : picture.values) v = number();
    const auto before = net::evaluate(g, picture);
    pass::fold_windows::run(g);
    net::infer_shapes(g);
    CHECK(net::verify(g).empty());
    const auto after = net::evaluate(g, picture);
    REQUIRE(after.size() == before.size());
    for (std::size_t k = 0; k < after.size(); ++k)
      for (std::size_t i = 0; i < after[k].values.size(); ++i)
        CHECK(std::fabs(after[k].values[i] - before[k].values[i]) <= 1e-4F);
    // No tensor of one channel has all lines.
    for (const auto n : g.order()) CHECK(g[n].shape != net::shape{1, 8, 5});
    const auto result = g.outputs().back();
    CHECK(g[result].name == (readers == 0 ? "all" : "y"));
    const bool in_turn = std::holds_alternative<net::move>(g[result].op);
    CHECK((in_turn && g.inputs(result).size() == 4) == (readers < 3));
    if (readers == 1)
      for (const auto part : g.inputs(result))
        CHECK(std::holds_alternative<net::multiply>(g[part].op));
  }
}

TEST_CASE("the way back of folded lines is known whatever its boxes are") {
  const net::shape to{2, 8, 3};
  const auto from = pass::folding::of(to);
  CHECK(from == net::shape{8, 2, 3});
  CHECK(pass::folding::is_unfolding(pass::folding::unfold(to), from));
  const net::move one{.target = to,
                      .boxes = {{.loops = {{{2, {1, 0, 0}, {4, 0, 0}},
                                            {4, {0, 1, 0}, {1, 0, 0}},
                                            {2, {0, 4, 0}, {0, 1, 0}},
                                            {3, {0, 0, 1}, {0, 0, 1}}}}}}};
  CHECK(pass::folding::is_unfolding(one, from));
  net::move other = pass::folding::unfold(to);
  std::swap(other.boxes.changeable()[0].from, other.boxes.changeable()[1].from);
  CHECK_FALSE(pass::folding::is_unfolding(other, from));
  CHECK_FALSE(pass::folding::is_unfolding(one, {4, 4, 3}));
}
