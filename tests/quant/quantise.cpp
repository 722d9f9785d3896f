// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/quantise.hpp>

#include <doctest/doctest.h>

#include <nvdlac/quant/adopt.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

struct fixture {
  net::graph g{};
  std::mt19937 random{7};
  net::graph::id in = g.add("in", net::input{{4, 6, 6}});
  std::vector<net::float_tensor> x{random_tensor(random, {4, 6, 6}, 2)};

  net::convolution convolution(std::int32_t kernels, std::int32_t channels, float range = 0.5F) {
    return {.kernels = kernels,
            .weights = random_values(random, static_cast<std::size_t>(kernels * channels), range),
            .bias = random_values(random, static_cast<std::size_t>(kernels), 0.2F)};
  }
  quantised::graph quantised() { return quant::quantise(g, min_max_table(g, x)); }
};

quantised::graph::id named(const quantised::graph& q, const std::string& name) {
  for (quantised::graph::id n = 0; n < q.size(); ++n)
    if (q[n].name == name) return n;
  return q.size();
}

std::string message(const net::graph& g, const quant::scale_table& table) {
  try {
    quant::quantise(g, table);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "a network of all operators is close to the real one") {
  const auto a = g.add("a", net::convolution{convolution(6, 4)}, {in});
  const auto bn = g.add("bn", net::batch_norm{.mean = std::vector<float>(6, 0.1F),
                                              .variance = std::vector<float>(6, 2),
                                              .gamma = random_values(random, 6, 3)}, {a});
  const auto relu = g.add("relu", net::relu{}, {bn});
  const auto max = g.add(
      "max", net::pool{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}},
      {relu});
  const auto b = g.add("b", convolution(6, 6), {max});
  const auto same = g.add("same", net::identity{}, {b});
  const auto sum = g.add("sum", net::add{.relu = true}, {max, same});
  const auto both = g.add("both", net::concat{}, {sum, max});
  const auto avg = g.add("avg", net::pool{.kind = net::pool_kind::average, .global = true}, {both});
  const auto flat = g.add("flat", net::flatten{}, {avg});
  const auto fc = g.add(
      "fc", net::fully_connected{.outputs = 5, .weights = random_values(random, 60, 1)}, {flat});
  mark(g, g.add("prob", net::softmax{}, {fc}));
  const auto q = quantised();
  CHECK(q[named(q, "prob")].scale == *quant::rule<net::softmax>::fixed_scale);
  CHECK(worst_steps(g, q, x) <= 4);
  CHECK(named(q, "same") == q.size());  // costs nothing
  CHECK(named(q, "flat") == q.size());
  CHECK(q[named(q, "fc")].shape == net::shape{5, 1, 1});
  CHECK_NOTHROW([&] { auto copy = q; net::infer_shapes(copy); }());
  for (quantised::graph::id n = 0; n < q.size(); ++n) {
    auto copy = q;
    net::infer_shapes(copy);
    CHECK(copy[n].shape == q[n].shape);
  }
}

TEST_CASE_FIXTURE(fixture, "a fully connected layer reads a cube in its dense order") {
  const auto flat = g.add("flat", net::reshape{{144, 1, 1}}, {in});
  mark(g,
       g.add("fc", net::fully_connected{.outputs = 3, .weights = random_values(random, 3 * 144, 1)},
             {flat}));
  const auto q = quantised();
  REQUIRE(q.size() == 2);
  CHECK(std::get<quantised::convolution>(q[1].op).window ==
        net::window{.kernel_h = 6, .kernel_w = 6});
  CHECK(worst_steps(g, q, x) <= 3);
}

TEST_CASE_FIXTURE(fixture, "a reshape that somebody else reads moves the elements") {
  const auto flat = g.add("flat", net::flatten{}, {in});
  g[flat].output = true;
  mark(g,
       g.add("fc", net::fully_connected{.outputs = 3, .weights = random_values(random, 3 * 144, 1)},
             {flat}));
  const auto q = quantised();
  CHECK(std::get<quantised::move>(q[named(q, "flat")].op).target == net::shape{144, 1, 1});
  CHECK(worst_steps(g, q, x) <= 3);
}

TEST_CASE_FIXTURE(fixture, "a reshape that only the user reads stays one") {
  mark(g, g.add("flat", net::flatten{}, {g.add("a", convolution(4, 4), {in})}));
  const auto q = quantised();
  CHECK(std::get<quantised::reshape>(q[named(q, "flat")].op).target.h == 1);
}

TEST_CASE_FIXTURE(fixture, "a move of one tensor keeps its scale, of several has its own") {
  const auto a = g.add("a", convolution(4, 4), {in});
  const auto b = g.add("b", convolution(4, 4), {in});
  const auto turned = [](std::int32_t inputs) {  // lines become columns; the inputs side by side
    net::move m{.target = {4, 4, 4 * inputs}, .fill = 0.5F};
    for (std::int32_t i = 0; i < inputs; ++i)
      m.boxes.push_back({.input = i, .to = {0, 0, 4 * i},
                         .loops = {{{4, {1, 0, 0}, {1, 0, 0}},
                                    {4, {0, 0, 1}, {0, 1, 0}},
                                    {4, {0, 1, 0}, {0, 0, 1}}}}});
    return m;
  };
  const auto one = g.add("one", turned(1), {a});
  g[one].output = true;
  const auto relu = g.add("relu", net::relu{}, {b});
  g[relu].output = true;
  mark(g, g.add("two", turned(2), {a, relu}));
  const auto q = quantised();
  CHECK(q[named(q, "one")].scale == q[named(q, "a")].scale);
  for (const auto i : q.inputs(named(q, "two")))
    CHECK(q[i].scale == doctest::Approx(q[named(q, "two")].scale));
  CHECK(worst_steps(g, q, x) <= 3);
}

TEST_CASE_FIXTURE(fixture, "a move filled beyond the scale of its input has a scale of its own") {
  const auto padded = [](float fill) {  // a column before the input and one behind it
    return net::move{.target = {4, 4, 6},
                     .boxes = {{.input = 0, .to = {0, 0, 1},
                                .loops = {{{4, {1, 0, 0}, {1, 0, 0}},
                                           {4, {0, 1, 0}, {0, 1, 0}},
                                           {4, {0, 0, 1}, {0, 0, 1}}}}},
                               {.input = net::box::filled,
                                .loops = {{{4, {1, 0, 0}, {}}, {4, {0, 1, 0}, {}},
                                           {2, {0, 0, 5}, {}}}}}},
                     .fill = fill};
  };
  const auto a = g.add("a", convolution(4, 4), {in});
  for (const auto& [fill, own] : {std::pair{0.01F, false}, {0.0F, false}, {-30.0F, true},
                                  {30.0F, true}, {-10000.0F, false}, {-3e38F, false}}) {
    CAPTURE(fill);
    auto h = g;
    mark(h, h.add("padded", padded(fill), {a}));
    auto table = min_max_table(h, x);
    const auto check = [&] {
      const auto q = quant::quantise(h, table);
      CHECK((q[named(q, "padded")].scale != q[named(q, "a")].scale) == own);
      if (fill > -10000.0F) CHECK(worst_steps(h, q, x) <= 3);
    };
    check();
    // A table of a quantised model that does not list it.
    std::erase_if(table.entries, [](const auto& e) { return e.layer == "padded"; });
    quant::complete(table, h, [](const auto&) { return false; });
    check();
  }
}

TEST_CASE_FIXTURE(fixture, "a move keeps steps for what it is filled with where its input is 0") {
  auto nothing = convolution(4, 4);
  std::ranges::fill(nothing.weights, 0.0F);
  const auto a = g.add("a", nothing, {in});
  mark(g, g.add("padded",
                net::move{.target = {4, 4, 5},
                          .boxes = {{.input = 0,
                                     .loops = {{{4, {1, 0, 0}, {1, 0, 0}},
                                                {4, {0, 1, 0}, {0, 1, 0}},
                                                {4, {0, 0, 1}, {0, 0, 1}}}}},
                                    {.input = net::box::filled, .to = {0, 0, 4},
                                     .loops = {{{4, {1, 0, 0}, {}}, {4, {0, 1, 0}, {}}}}}},
                          .fill = 0.8F},
                {a}));
  const auto q = quantised();
  CHECK(q[named(q, "padded")].scale == doctest::Approx(0.8 / 127).epsilon(0.01));
  CHECK(worst_steps(g, q, x) <= 1);
}

TEST_CASE_FIXTURE(fixture, "a scaling by one factor costs nothing") {
  const auto a = g.add("a", convolution(4, 4), {in});
  const auto tenth = g.add("tenth", net::scale{.factor = {0.1F}}, {a});
  mark(g, g.add("b", convolution(2, 4, 3), {tenth}));
  auto q = quantised();
  CHECK(q.size() == 3);
  CHECK(worst_steps(g, q, x) <= 4);
  SUBCASE("as an output it takes the producer's place") {
    g[tenth].output = true;
    q = quantised();
    REQUIRE(named(q, "tenth") < q.size());
    CHECK(q.size() == 3);
    CHECK(named(q, "a") == q.size());
    CHECK(q[named(q, "tenth")].output);
    CHECK(worst_steps(g, q, x) <= 2);
  }
  SUBCASE("or a copy's, when the producer is read as well") {
    g[tenth].output = true;
    g[a].output = true;
    q = quantised();
    CHECK(q.size() == 4);
    CHECK(q[named(q, "tenth")].scale == doctest::Approx(q[named(q, "a")].scale * 0.1));
    CHECK(worst_steps(g, q, x) <= 2);
  }
}

TEST_CASE_FIXTURE(fixture, "softmax behind a free scaling knows its input's scale") {
  const auto half = g.add("half", net::scale{.factor = {0.5F}}, {in});
  mark(g, g.add("prob", net::softmax{}, {half}));
  CHECK(worst_steps(g, quantised(), x) <= 1.5);
}

TEST_CASE_FIXTURE(fixture, "a negative, a per-channel and a shifted scaling are layers") {
  for (const net::scale& s :
       {net::scale{.factor = {-1}}, net::scale{.factor = {1, 2, 3, 4}},
        net::scale{.factor = {1}, .bias = {0.5F}}, net::scale{.factor = {1}, .relu = true}}) {
    net::graph h;
    mark(h, h.add("s", s, {h.add("in", net::input{{4, 6, 6}})}));
    const auto q = quant::quantise(h, min_max_table(h, x));
    CHECK(q.size() == 2);
    CHECK(worst_steps(h, q, x) <= 1.1);
  }
}

TEST_CASE_FIXTURE(fixture, "producers that only a concat reads take its scale, through pools too") {
  const auto a = g.add("a", convolution(2, 4, 5), {in});
  const auto b = g.add("b", convolution(3, 4, 0.1F), {in});
  const auto pool = g.add("pool",
                          net::pool{.window = {.kernel_h = 3,
                                               .kernel_w = 3,
                                               .pad_top = 1,
                                               .pad_left = 1,
                                               .pad_bottom = 1,
                                               .pad_right = 1}},
                          {b});
  const auto shared = g.add("shared", convolution(3, 4, 0.1F), {in});
  const auto inner = g.add("inner", net::concat{}, {a, pool});
  const auto outer = g.add("outer", net::concat{}, {inner, shared, in});
  g[shared].output = true;
  const auto more = g.add("more", net::relu{}, {shared});
  g[more].output = true;
  mark(g, outer);
  const auto q = quantised();
  const double scale = q[named(q, "outer")].scale;
  CHECK(q[named(q, "a")].scale == scale);
  CHECK(q[named(q, "b")].scale == scale);
  CHECK(q[named(q, "inner")].scale == scale);
  CHECK(q[named(q, "shared")].scale < scale);
  const auto& multiplier = std::get<quantised::concat>(q[named(q, "outer")].op).multiplier;
  CHECK_FALSE(multiplier[0].has_value());
  CHECK(multiplier[1].has_value());
  CHECK(multiplier[2].has_value());
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(x));
  const auto got = run(q, x);
  REQUIRE(got.size() == 3);
  for (std::size_t o = 0; o < 3; ++o) {  // the outputs keep their order
    REQUIRE(got[o].shape == real[o].shape);
    for (std::size_t i = 0; i < got[o].values.size(); ++i)
      CHECK(std::fabs(got[o].values[i] - real[o].values[i]) <= 2 * scale);
  }
}

TEST_CASE_FIXTURE(fixture, "a concat or a clip narrows neither an output nor what is averaged") {
  const auto layer = [&](const char* name, float bias) {
    auto c = convolution(3, 4);
    c.bias.assign(3, bias);
    return g.add(name, std::move(c), {in});
  };
  const auto clipped = layer("clipped", 0);
  const auto all = g.add("all", net::concat{}, {layer("first", 0), clipped});
  const auto clip = g.add("clip", net::clip{-0.5F, 0.5F}, {all});
  const auto below = layer("below", -2);
  const auto relu = g.add("relu", net::relu{}, {below});
  const auto parts = g.add("parts", net::concat{}, {relu, layer("second", 0)});
  // A picture so high that PDP averages, at the scale of what it reads.
  const auto picture = g.add("picture", net::input{{4, 20, 20}});
  x.push_back(random_tensor(random, {4, 20, 20}, 2));
  const auto average = g.add("average",
                             net::pool{.kind = net::pool_kind::average,
                                       .window = {.kernel_h = 3, .kernel_w = 3}},
                             {g.add("averaged", convolution(3, 4), {picture})});
  auto weak = convolution(3, 4, 0.01F);
  weak.window = {.kernel_h = 3, .kernel_w = 3};
  weak.weights = random_values(random, 3 * 4 * 9, 0.01F);
  const auto read = g.add("read", weak, {picture});
  const auto means = g.add("means", net::concat{}, {average, read});
  for (const auto n : {clipped, clip, below, parts, read, means}) mark(g, n);

  const auto q = quantised();
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(x));
  const auto got = run(q, x);
  const auto outputs = q.outputs();
  REQUIRE(got.size() == real.size());
  for (std::size_t o = 0; o < real.size(); ++o) {
    double worst = 0;
    for (std::size_t i = 0; i < got[o].values.size(); ++i)
      worst = std::max(worst, std::fabs(double{got[o].values[i]} - double{real[o].values[i]}));
    CAPTURE(q[outputs[o]].name);
    CHECK(worst <= (q[outputs[o]].name == "read" ? 0.0025 : 0.05));
  }
}

TEST_CASE_FIXTURE(fixture,
                  "addition puts the coarser input first, constants have their own scale") {
  net::float_tensor value = random_tensor(random, {4, 6, 6}, 30);
  const auto known = g.add("known", net::constant{value});
  mark(g, g.add("sum", net::add{}, {in, known}));
  const auto q = quantised();
  CHECK(q.inputs(named(q, "sum"))[0] == named(q, "known"));
  CHECK(q[named(q, "known")].scale == doctest::Approx(30.0 / 127).epsilon(0.02));
  CHECK(worst_steps(g, q, x) <= 1.2);
}

TEST_CASE_FIXTURE(fixture, "outputs keep their order when ids are not topological") {
  net::graph h;  // the second output is computed first
  const auto late = h.add("late", net::relu{});
  const auto early = h.add("early", net::scale{.factor = {1, 2, 3, 4}});
  const auto from = h.add("in", net::input{{4, 6, 6}});
  h.connect(from, early, 0);
  h.connect(early, late, 0);
  h[late].output = true;
  mark(h, early);
  const auto q = quant::quantise(h, min_max_table(h, x));
  REQUIRE(q.outputs().size() == 2);
  CHECK(q[q.outputs()[0]].name == "late");
  CHECK(q[q.outputs()[1]].name == "early");
  CHECK(worst_steps(h, q, x) <= 1.1);
}

TEST_CASE_FIXTURE(fixture, "an output that others read and that is computed late comes first") {
  net::graph h;  // as a pass makes it of a transposed convolution
  const auto from = h.add("in", net::input{{4, 6, 6}});
  const auto first = h.add("first", net::add{});
  const auto second = h.add("second", net::scale{.factor = {1, 2, 3, 4}}, {first});
  const auto third = h.add("third", net::scale{.factor = {-1, 2, 3, 4}}, {first});
  const auto a = h.add("a", net::scale{.factor = {2, 1, 3, 4}}, {from});
  const auto b = h.add("b", net::scale{.factor = {1, 1, -3, 4}}, {from});
  h.connect(a, first, 0);
  h.connect(b, first, 1);
  h[first].output = h[second].output = true;
  mark(h, third);
  const auto q = quant::quantise(h, min_max_table(h, x));
  std::vector<std::string> in_order;
  for (const auto n : q.order())
    if (q[n].output) in_order.push_back(q[n].name);
  CHECK(in_order == std::vector<std::string>{"first", "second", "third"});
  for (quantised::graph::id n = 0; n < q.size(); ++n) CHECK(q.order()[n] == n);
  CHECK(worst_steps(h, q, x) <= 1.6);
}

TEST_CASE_FIXTURE(fixture, "an input that is an output behind an identity") {
  mark(g, g.add("same", net::identity{}, {in}));
  const auto q = quantised();
  CHECK(q.size() == 2);
  CHECK(worst_steps(g, q, x) <= 0.51);
}

TEST_CASE_FIXTURE(fixture, "all problems are reported together, with their layers") {
  const auto lrn = g.add("norm", net::lrn{.k = -1}, {in});
  const auto avg = g.add("avg",
                         net::pool{.kind = net::pool_kind::average,
                                   .window = {.kernel_h = 5, .kernel_w = 9, .pad_left = 4}},
                         {in});
  g[lrn].output = true;
  mark(g, avg);
  const auto text = message(g, {.entries = {{"in", 0.02}, {"norm", 0.02}}});
  CHECK(text.find("layer 'norm': k + alpha / local_size * sum is -") != std::string::npos);
  CHECK(text.find("layer 'avg': average pooling over 5x9") != std::string::npos);
  CHECK(message(g, {}).find("layer 'in': no scale of its values is known") == 0);
  CHECK(message(g, {.entries = {{"in", -1}}}) ==
        "layer 'in': scale -1 is not usable (a scale is a positive number)");
}

TEST_CASE_FIXTURE(fixture, "scales of any size give a result or a clear refusal") {
  const auto a = g.add("a", convolution(4, 4), {in});
  const auto sum = g.add("sum", net::add{}, {a, in});
  const auto scaled =
      g.add("scaled", net::scale{.factor = {1, -2, 3, 0}, .bias = {0, 1, 2, 3}}, {sum});
  mark(g, g.add("cat", net::concat{}, {scaled, in, sum}));
  for (const double s : {1e-30, 1e-6, 1e6, 1e30})
    for (const char* which : {"in", "a", "sum", "scaled", "cat"}) {
      auto table = min_max_table(g, x);
      for (auto& e : table.entries)
        if (e.layer == which) e.range = s;
      const auto text = message(g, table);
      CAPTURE(text);
      CHECK((text.empty() || text.find("layer 'a': output scale") == 0));
      if (text.empty()) CHECK_NOTHROW(run(quant::quantise(g, table), x));
    }
}

TEST_CASE_FIXTURE(fixture, "the same network gives the same integers") {
  mark(g, g.add("a", convolution(4, 4), {in}));
  const auto first = quantised(), second = quantised();
  const auto &a = std::get<quantised::convolution>(first[1].op),
             &b = std::get<quantised::convolution>(second[1].op);
  CHECK(a.weights == b.weights);
  CHECK(a.bias == b.bias);
  CHECK(a.multiplier == b.multiplier);
  CHECK(first[1].scale == second[1].scale);
}
