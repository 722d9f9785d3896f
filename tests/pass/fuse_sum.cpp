// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/simplify.hpp>

using namespace nvdlac;

namespace {

net::convolution filter(std::int32_t kernels, std::int32_t channels, float first) {
  net::convolution c{.kernels = kernels};
  for (std::int32_t i = 0; i < kernels * channels; ++i)
    c.weights.push_back(first + 0.1F * static_cast<float>(i));
  c.bias.assign(static_cast<std::size_t>(kernels), 0.5F);
  return c;
}

// input -> stem -> left, right -> sum -> end
struct block {
  net::graph g{};
  net::graph::id stem = 0, left = 0, right = 0, sum = 0;

  explicit block(net::add add = {}) {
    const auto in = g.add("in", net::input{{2, 3, 3}});
    stem = g.add("stem", filter(2, 2, -0.2F), {in});
    left = g.add("left", filter(2, 2, 0.3F), {stem});
    right = g.add("right", filter(2, 2, -0.7F), {stem});
    sum = g.add("sum", add, {left, right});
    g[g.add("end", net::relu{}, {sum})].output = true;
    net::infer_shapes(g);
  }
  std::vector<float> result() const {
    net::float_tensor x{{2, 3, 3}};
    for (std::size_t i = 0; i < x.values.size(); ++i)
      x.values[i] = static_cast<float>(i) / 7 - 1;
    return net::evaluate(g, x).at(0).values;
  }
  // The names of the nodes afterwards.
  std::vector<std::string> fused(bool can = true) {
    pass::fuse_sum::run(g, [can](auto, auto) { return can; });
    net::infer_shapes(g);
    CHECK(net::verify(g).empty());
    std::vector<std::string> names;
    for (const auto n : g.order()) names.push_back(g[n].name);
    return names;
  }
};
using names = std::vector<std::string>;

bool near(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-5F) return false;
  return a.size() == b.size();
}

}  // namespace

TEST_CASE("of two convolutions the later one takes the sum") {
  for (const auto& coefficients : {std::array{1.0F, 1.0F}, {1.0F, -1.0F}, {1.0F, 0.25F}})
    for (const bool relu : {false, true}) {
      block b({.relu = relu, .coefficients = coefficients});
      const auto before = b.result();
      CHECK(b.fused() == names{"in", "stem", "left", "sum", "end"});
      CHECK(near(b.result(), before));
      const auto n = b.g.order()[3];
      CHECK(std::get<net::convolution>(b.g[n].op).relu == relu);
      CHECK(b.g.inputs(n).size() == 2);
    }
}

TEST_CASE("the earlier one takes it where the later one cannot") {
  block b({.coefficients = {-2.0F, 1.0F}});  // what is added keeps its size
  const auto before = b.result();
  CHECK(b.fused() == names{"in", "stem", "right", "sum", "end"});
  CHECK(near(b.result(), before));

  block cut;
  std::get<net::convolution>(cut.g[cut.right].op).relu = true;
  CHECK(cut.fused() == names{"in", "stem", "right", "sum", "end"});
  block read_twice;
  read_twice.g[read_twice.right].output = true;
  CHECK(read_twice.fused() == names{"in", "stem", "right", "sum", "end"});
}

TEST_CASE("a product, a maximum and a minimum become a part as a sum does") {
  for (const bool relu : {false, true}) {
    const auto check = [&](auto op, net::combination how) {
      block b;
      b.g[b.sum].op = op;
      const auto before = b.result();
      CHECK(b.fused() == names{"in", "stem", "left", "sum", "end"});
      CHECK(near(b.result(), before));
      CHECK(std::get<net::convolution>(b.g[b.g.order()[3]].op).with_second == how);
    };
    check(net::multiply{.relu = relu}, net::combination::product);
    check(net::extremum{.relu = relu}, net::combination::maximum);
    check(net::extremum{.kind = net::extremum_kind::minimum, .relu = relu},
          net::combination::minimum);
  }
}

TEST_CASE("what is left alone") {
  const names all{"in", "stem", "left", "right", "sum", "end"};
  CHECK(block().fused(false) == all);
  CHECK(block({.coefficients = {2.0F, 2.0F}}).fused() == all);

  // Pixels are converted on their way into CONV; a picture itself can be added.
  net::graph g;
  const auto in = g.add("in", net::input{{2, 3, 3}});
  const auto c = g.add("c", filter(2, 2, 0.1F), {in});
  g[g.add("sum", net::add{}, {c, in})].output = true;
  net::infer_shapes(g);
  pass::fuse_sum::run(g, [](auto, auto) { return true; });
  CHECK(g.size() == 3);

  // One value for each channel is no operand of each element.
  net::graph wide;
  const auto x = wide.add("x", net::input{{2, 3, 3}}), y = wide.add("y", net::input{{2, 1, 1}});
  const auto stem = wide.add("stem", filter(2, 2, 0.1F), {x});
  const auto d = wide.add("d", filter(2, 2, 0.1F), {stem});
  wide[wide.add("sum", net::add{}, {d, y})].output = true;
  net::infer_shapes(wide);
  pass::fuse_sum::run(wide, [](auto, auto) { return true; });
  CHECK(wide.size() == 5);

  // Nor can a filter of one pixel give the map that it is added to.
  net::graph small;
  const auto map = small.add("map", net::input{{2, 3, 3}});
  const auto pixel = small.add("pixel", net::input{{2, 1, 1}});
  const auto first = small.add("first", filter(2, 2, 0.1F), {pixel});
  const auto e = small.add("e", filter(2, 2, 0.1F), {first});
  small[small.add("sum", net::add{}, {map, e})].output = true;
  net::infer_shapes(small);
  pass::fuse_sum::run(small, [](auto, auto) { return true; });
  CHECK(small.size() == 5);
}

TEST_CASE("a convolution with a second input is not taken for another") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 3, 3}});
  const auto stem = g.add("stem", filter(2, 2, 0.1F), {in});
  const auto both = g.add("both", filter(2, 2, 0.1F), {stem, stem});
  const auto again = g.add("again", net::add{}, {both, stem});
  g[again].output = true;
  net::infer_shapes(g);
  pass::fuse_sum::run(g, [](auto, auto) { return true; });
  CHECK(g.size() == 4);
  CHECK(net::fit_convolution({}, 2, 1, {2, 3, 3}).ok());
  const std::array other{net::shape{2, 3, 3}, net::shape{2, 3, 2}};
  CHECK(std::get<net::convolution>(g[both].op).fit(other).broken ==
        net::rule::inputs_of_different_shapes);
}
