// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// a * 2 + b, and a on its own
graph two_inputs() {
  graph g;
  const auto b = g.add("b", input{{1, 1, 2}}), a = g.add("a", input{{1, 1, 2}});
  const auto twice = g.add("twice", scale{.factor = {2}}, {a});
  const auto sum = g.add("sum", add{}, {twice, b});
  g[sum].output = true;
  g[g.add("copy", identity{}, {a})].output = true;
  infer_shapes(g);
  return g;
}
const float_tensor a{{1, 1, 2}, {1, 2}}, b{{1, 1, 2}, {10, 20}};

}  // namespace

TEST_CASE("inputs by order and by name") {
  const graph g = two_inputs();
  const std::vector ordered{b, a};
  const auto expected = std::vector{float_tensor{{1, 1, 2}, {12, 24}}, a};
  CHECK(evaluate(g, ordered) == expected);
  CHECK(evaluate(g, std::map<std::string, float_tensor>{{"a", a}, {"b", b}}) == expected);
}

TEST_CASE("every node's tensor is seen once, producers first") {
  const graph g = two_inputs();
  std::vector<std::string> seen;
  evaluate_each(g, std::vector{b, a}, [&](auto n, const float_tensor& t) {
    CHECK(t.shape == g[n].shape);
    CHECK(t.values.size() == t.shape.size());
    seen.push_back(g[n].name);
  });
  CHECK(seen == std::vector<std::string>{"b", "a", "twice", "sum", "copy"});
}

TEST_CASE("inputs that do not fit are errors") {
  const graph g = two_inputs();
  CHECK_THROWS_AS(evaluate(g, a), error);
  CHECK_THROWS_AS(evaluate(g, std::vector{a, float_tensor{{1, 2, 1}, {1, 2}}}), error);
  CHECK_THROWS_AS(evaluate(g, std::vector{a, float_tensor{{1, 1, 2}, {1}}}), error);
  try {
    evaluate(g, std::map<std::string, float_tensor>{{"a", a}, {"c", b}});
    FAIL("accepted");
  } catch (const error& e) {
    REQUIRE(e.problems().size() == 2);
    CHECK(e.problems()[0].layer == "b");
    CHECK(e.problems()[1].layer == "c");
  }
}

namespace {

// An operator that the library does not know joins by being listed.
struct negate {
  static constexpr arity inputs{1, 1};
  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = -v;
    return y;
  }
};
static_assert(operation<negate>);

}  // namespace

namespace {

// Computes less than its shape has, or another shape.
struct short_of {
  static constexpr arity inputs{1, 1};
  bool other_shape = false;
  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    y.values.pop_back();
    if (other_shape) y.shape = {1, 1, 1};
    return y;
  }
};

}  // namespace

TEST_CASE("an operator that computes another shape than its own is an error") {
  for (const bool other_shape : {false, true}) {
    basic_graph<type_list<input, short_of>> g;
    const auto data = g.add("data", input{{1, 1, 2}});
    g[g.add("less", short_of{other_shape}, {data})].output = true;
    infer_shapes(g);
    CHECK_THROWS_WITH_AS(evaluate(g, a), doctest::Contains("layer 'less': its operator computes "),
                         error);
  }
}

TEST_CASE("a user's own operator") {
  basic_graph<type_list<input, negate>> g;
  const auto data = g.add("data", input{{1, 1, 2}});
  g[g.add("minus", negate{}, {data})].output = true;
  infer_shapes(g);
  CHECK(g[1].shape == shape{1, 1, 2});
  CHECK(evaluate(g, a)[0].values == std::vector<float>{-1, -2});
}
