// SPDX-License-Identifier: Apache-2.0
// Operators of a user's own in a graph: calibration, scale tables and quantisation.
#include <nvdlac/quant/rule.hpp>

#include <doctest/doctest.h>

#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/drift.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quant/observer.hpp>

#include "networks.hpp"

using namespace quant_test;
using net::arity;

namespace {

// y = 3 * a - b: two inputs, a convolution of their concat in reals but one addition in integers.
struct difference {
  static constexpr arity inputs{2, 2};

  net::shape infer(std::span<const net::shape> in) const {
    if (in[0] != in[1]) throw error("its inputs differ");
    return in[0];
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    auto y = *in[0];
    for (std::size_t i = 0; i < y.values.size(); ++i)
      y.values[i] = 3 * y.values[i] - in[1]->values[i];
    return y;
  }
};

// Each channel times its gain. Both members can be wrong, and the integer form with them.
struct gain {
  static constexpr arity inputs{1, 1};

  std::vector<float> weights{};
  std::int32_t kernels = 4;

  net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return net::scale{.factor = weights}.evaluate(in);
  }
};

// A user's mistake at run time.
struct refusing {
  static constexpr arity inputs{1, 1};
  net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const { return *in[0]; }
};

struct silent : refusing {};

// Each line from the right to the left.
struct mirrored {
  static constexpr arity inputs{1, 1};
  net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    auto y = *in[0];
    for (auto line = y.values.begin(); line != y.values.end(); line += y.shape.w)
      std::reverse(line, line + y.shape.w);
    return y;
  }
};

// The sum of all channels, whose filters are no member.
struct total {
  static constexpr arity inputs{1, 1};
  net::shape infer(std::span<const net::shape> in) const { return {1, in[0].h, in[0].w}; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    net::float_tensor y{{1, in[0]->shape.h, in[0]->shape.w}};
    for (std::size_t i = 0; i < in[0]->values.size(); ++i)
      y.values[i % y.values.size()] += in[0]->values[i];
    return y;
  }
};

struct without_rule {};

}  // namespace

template <>
struct nvdlac::quant::rule<difference> : usual_rule {
  static void run(const difference&, auto& to) {
    auto sum = quantise_add(3 * to.in(0).scale, to.in(1).scale, false, to.scale());
    sum.multiplier = static_cast<std::int16_t>(-sum.multiplier);
    sum.out.scale = static_cast<std::int16_t>(-sum.out.scale);
    to.put(sum);
  }
};
template <>
struct nvdlac::quant::rule<total> : usual_rule {
  static void run(const total&, auto& to) {
    const auto channels = static_cast<std::size_t>(to.shape_of(to.in(0)).c);
    const std::vector<float> ones(channels, 1);
    put_filters(to, {.kernels = 1, .weights = ones}, channels);
  }
};
template <>
struct nvdlac::quant::rule<gain> : usual_rule {
  static void run(const gain& op, auto& to) {
    auto c = quantise({.kernels = 4, .groups = 4, .weights = op.weights}, to.in(0).scale,
                      to.scale());
    c.kernels = op.kernels;
    c.groups = op.kernels;
    to.put(std::move(c));
  }
};
template <>
struct nvdlac::quant::rule<refusing> : usual_rule {
  static void run(const refusing&, auto&) { throw error("it is not possible"); }
};
template <>
struct nvdlac::quant::rule<silent> : usual_rule {
  static void run(const silent&, auto&) {}
};
// It moves elements: its scale is its input's, and its numbers count from where the input's do.
template <>
struct nvdlac::quant::rule<mirrored> : sharing_rule {
  static bool keeps_zero(const mirrored&) { return true; }
  static void run(const mirrored&, auto& to) {
    const net::shape s = to.shape();
    std::vector<std::int32_t> from;
    for (std::int32_t c = 0; c < s.c; ++c)
      for (std::int32_t y = 0; y < s.h; ++y)
        for (std::int32_t x = s.w; x-- > 0;)
          from.push_back(static_cast<std::int32_t>(s.at(c, y, x)));
    to.put(quantised::move{.target = s, .boxes = net::find_boxes(from, s, s)});
  }
};

static_assert(quant::has_rule<difference> && quant::has_rule<gain>);
static_assert(!quant::has_rule<without_rule>);
static_assert(quant::has_rule<net::deconvolution>);  // which reports it with the layer's name

namespace {

using own_graph = net::graph_with<difference, gain, refusing, silent, mirrored, total>;

struct fixture {
  own_graph g{};
  std::mt19937 random{11};
  own_graph::id in = g.add("in", net::input{{4, 6, 6}});
  std::vector<net::float_tensor> x{random_tensor(random, {4, 6, 6}, 2)};

  quant::scale_table table() const {
    const std::vector<std::vector<net::float_tensor>> samples{x};
    return quant::calibrate<quant::min_max>(
        g, std::span<const std::vector<net::float_tensor>>(samples));
  }
  void finish(own_graph::id n) {
    g[n].output = true;
    net::infer_shapes(g);
  }
  std::string message() const {
    try {
      quant::quantise(g, table());
    } catch (const error& e) {
      return e.what();
    }
    return {};
  }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "own operators are computed to the step that their scale gives them") {
  const auto a = g.add("a", gain{{0.5F, -1, 2, 0.1F}}, {in});
  const auto b = g.add("b", difference{}, {in, a});
  const net::window halves{.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2};
  const auto max = g.add("max", net::pool{.window = halves}, {b});
  finish(max);
  CHECK(net::verify(g).empty());
  const auto q = quant::quantise(g, table());
  REQUIRE(q.size() == 4);
  CHECK(std::holds_alternative<quantised::convolution>(q[a].op));
  CHECK(std::holds_alternative<quantised::add>(q[b].op));
  CHECK(q[b].scale == q[max].scale);  // a pooling moves what the own operator gives
  CHECK(net::verify(q).empty());

  // Rounding of the input counts three times and that of `a` once, each half a step of theirs.
  const double most = (3 * q[in].scale + 2 * q[in].scale + q[a].scale) / 2 / q[b].scale + 1;
  const auto real = net::evaluate(g, x[0])[0], got = run(q, x)[0];
  for (std::size_t i = 0; i < real.values.size(); ++i)
    CHECK(std::fabs(static_cast<double>(real.values[i] - got.values[i])) <= most * q[max].scale);
}

TEST_CASE_FIXTURE(fixture, "an own operator that a concat alone reads takes its scale") {
  const auto a = g.add("a", gain{{1, 1, 1, 1}}, {in});
  const auto b = g.add("b", net::scale{.factor = {1, 2, 3, 4}}, {in});
  finish(g.add("both", net::concat{}, {a, b}));
  const auto q = quant::quantise(g, table());
  CHECK(q[a].scale == q[b].scale);
  CHECK(q[a].scale == q[q.outputs()[0]].scale);
  const auto& both = std::get<quantised::concat>(q[q.outputs()[0]].op);
  CHECK_FALSE(both.multiplier[0].has_value());
}

TEST_CASE_FIXTURE(fixture, "an own operator that moves elements counts as its input does") {
  std::vector<float> weights(16);
  for (std::size_t i = 0; i < 16; i += 5) weights[i] = 1;
  const auto a = g.add("a", net::convolution{.kernels = 4, .weights = weights, .relu = true}, {in});
  const auto b = g.add("b", mirrored{}, {a});
  const auto c = g.add("c", net::convolution{.kernels = 4, .weights = weights}, {b});
  finish(c);
  const auto q = quant::quantise(g, table());
  CHECK(q[b].scale == q[a].scale);
  CHECK(q[a].zero == -128);
  CHECK(q[b].zero == -128);
  const auto real = net::evaluate(g, x[0])[0], got = run(q, x)[0];
  for (std::size_t i = 0; i < real.values.size(); ++i)
    CHECK(std::fabs(static_cast<double>(real.values[i] - got.values[i])) <= 2 * q[c].scale);
}

TEST_CASE_FIXTURE(fixture, "a table that a user gives lists own operators") {
  const auto a = g.add("a", gain{{1, 1, 1, 1}}, {in});
  finish(a);
  CHECK(quant::adopt({.entries = {{"in", 0.5}, {"a", 0.25}}}, g, g).entries.size() == 2);
  CHECK_THROWS_WITH_AS(quant::adopt({.entries = {{"in", 0.5}}}, g, g),
                       doctest::Contains("layer 'a': no scale of its values is known"), error);
}

TEST_CASE_FIXTURE(fixture, "a form that does not fit the operator is an error with its layer") {
  SUBCASE("another shape") {
    finish(g.add("a", gain{{1, 1, 1, 1}, 2}, {in}));
    CHECK(message().find("layer 'a': its integer form does not make 4x6x6") != std::string::npos);
  }
  SUBCASE("too few weights") {
    auto own = gain{{1, 1, 1, 1}};
    finish(g.add("a", own, {in}));
    const auto scales = table();
    std::get<gain>(g[1].op).weights.clear();
    CHECK_THROWS_WITH_AS(quant::quantise(g, scales), doctest::Contains("layer 'a': 0 weights"),
                         error);
  }
  SUBCASE("nothing at all") {
    finish(g.add("a", silent{}, {in}));
    CHECK(message().find("layer 'a': its rule puts nothing") != std::string::npos);
  }
  SUBCASE("its own error, beside those of other layers") {
    const auto a = g.add("a", refusing{}, {in});
    const auto b = g.add("b", refusing{}, {in});
    finish(g.add("sum", net::add{}, {a, b}));
    CHECK(message().find("layer 'a': it is not possible") != std::string::npos);
    CHECK(message().find("layer 'b': it is not possible") != std::string::npos);
  }
}

TEST_CASE("an observer that is chosen at run time watches as the chosen one, copies on their own") {
  const std::vector<float> small{1, -2}, large{-8, 3};
  const quant::any_observer prototype = quant::percentile{.percent = 100};
  auto one = prototype, two = prototype;
  one.observe(small);
  two.observe(large);
  CHECK(one.range() == 2.0);
  CHECK(two.range() == 8.0);
  CHECK(prototype.range() == 0.0);
  CHECK(prototype.name == "percentile");
  one = two;
  one.observe(std::vector<float>{16});
  CHECK(one.range() == 16.0);
  CHECK(two.range() == 8.0);
}

TEST_CASE_FIXTURE(fixture, "filters of an operator that is not asked for its sums have no drift") {
  const auto a = g.add("a", total{}, {in});
  finish(g.add("b", net::convolution{.kernels = 1, .weights = {0.5F}}, {a}));
  quant::known_filters exact;
  const auto q = quant::quantise(
      g, table(), {.filters = [&](const std::string& layer, quant::exact_filters f) {
        exact.insert_or_assign(layer, std::move(f));
      }});
  CHECK(exact.contains("a"));
  const std::vector<std::vector<net::float_tensor>> samples{x, x};
  const auto feeds = quant::feeds_of(q, samples[0], {});
  CHECK(!quant::drift_of(g, q, exact, samples, {feeds, feeds}, 1).contains("a"));
}
