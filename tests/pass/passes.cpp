// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/pass/pool_levels.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

using values = std::vector<float>;

// A network that grows at its end; the last layer is the output.
struct chain {
  graph g{};
  graph::id last = 0;

  explicit chain(shape in) { last = g.add("data", input{in}); }
  chain& add(const std::string& name, graph::any_operator op) {
    last = g.add(name, std::move(op), {last});
    return *this;
  }
  // The text of the graph after the pass, which must be sound.
  template <class Pass>
  std::string after() {
    g[last].output = true;
    infer_shapes(g);
    Pass::run(g);
    infer_shapes(g);
    CHECK(verify(g).empty());
    std::ostringstream out;
    net::dump(out, g);
    return out.str();
  }
};
template <class Op>
const Op& op_of(const graph& g, const std::string& name) {
  for (graph::id n = 0; n < g.size(); ++n)
    if (g[n].name == name) return std::get<Op>(g[n].op);
  throw std::logic_error("no layer " + name);
}

}  // namespace

TEST_CASE("fold_constants") {
  chain c({2, 1, 1});
  const auto two = c.g.add("two", constant{{{1, 1, 2}, {2, 3}}});
  const auto sum = c.g.add("sum", add{}, {two, two});
  const auto flat = c.g.add("flat", flatten{}, {sum});
  c.last = c.g.add("out", add{}, {c.last, flat});
  CHECK(c.after<pass::fold_constants>() ==
        "data = input shape=2x1x1 () : 2x1x1\n"
        "flat = constant value=2x1x1 () : 2x1x1\n"
        "out = add (data, flat) : 2x1x1 [output]\n");
  CHECK(op_of<constant>(c.g, "flat").value.values == values{4, 6});
}

TEST_CASE("remove_identity") {
  SUBCASE("what changes nothing") {
    chain c({4, 1, 1});
    c.add("drop", identity{})
        .add("same", reshape{{4, 1, 1}})
        .add("flat", flatten{})
        .add("act", relu{});
    c.add("again", relu{}).add("one", scale{.factor = {1}, .bias = {0}}).add("alone", concat{});
    c.add("single", pool{.global = true}).add("prob", softmax{});
    CHECK(c.after<pass::remove_identity>() ==
          "data = input shape=4x1x1 () : 4x1x1\n"
          "act = relu (data) : 4x1x1\n"
          "prob = softmax (act) : 4x1x1 [output]\n");
  }
  SUBCASE("a reshape before what reads any shape") {
    chain c({2, 2, 2});
    c.add("flat", flatten{}).add("back", reshape{{1, 2, 4}});
    c.add("fc", fully_connected{.weights = values(8, 1)});
    CHECK(c.after<pass::remove_identity>() ==
          "data = input shape=2x2x2 () : 2x2x2\n"
          "fc = fully_connected weights[8] (data) : 1x1x1 [output]\n");
  }
  SUBCASE("the output keeps its name") {
    chain c({4, 1, 1});
    c.add("act", lrn{}).add("prob", identity{});
    CHECK(c.after<pass::remove_identity>() ==
          "data = input shape=4x1x1 () : 4x1x1\n"
          "prob = lrn (data) : 4x1x1 [output]\n");
  }
  SUBCASE("input and output cannot be one") {
    chain c({4, 1, 1});
    c.add("copy", identity{});
    CHECK(c.after<pass::remove_identity>() ==
          "data = input shape=4x1x1 () : 4x1x1\n"
          "copy = reshape target=4x1x1 (data) : 4x1x1 [output]\n");
  }
  SUBCASE("two outputs stay two, in their order") {
    chain c({4, 1, 1});
    c.add("first", lrn{});
    c.g[c.last].output = true;
    c.add("second", identity{});
    CHECK(c.after<pass::remove_identity>() ==
          "data = input shape=4x1x1 () : 4x1x1\n"
          "first = lrn (data) : 4x1x1 [output]\n"
          "second = reshape target=4x1x1 (first) : 4x1x1 [output]\n");
  }
}

TEST_CASE("remove_dead keeps inputs") {
  chain c({4, 1, 1});
  c.g.add("unused", input{{1, 1, 1}});
  const auto dead = c.g.add("dead", relu{}, {0});
  c.g.add("deader", lrn{}, {dead});
  c.add("prob", softmax{});
  CHECK(c.g.size() == 5);
  c.g[c.last].output = true;
  pass::remove_dead::run(c.g);
  CHECK(c.g.size() == 3);
  CHECK(c.g[1].name == "unused");
  CHECK(c.g[2].name == "prob");
}

TEST_CASE("merge_batch_norm") {
  const batch_norm norm{
      .mean = {1, 2}, .variance = {4, 0.25F}, .gamma = {2, 1}, .beta = {3, 0}, .epsilon = 0};
  SUBCASE("into the weights") {
    chain c({1, 2, 2});
    c.add("conv", convolution{.kernels = 2, .weights = {5, 6}, .bias = {1, 1}}).add("norm", norm);
    c.add("stretch", scale{.factor = {10}, .bias = {1, 2}, .relu = true});
    CHECK(c.after<pass::merge_batch_norm>() ==
          "data = input shape=1x2x2 () : 1x2x2\n"
          "stretch = convolution kernels=2 window=1x1 stride=1x1 weights[2] bias[2] relu "
          "(data) : 2x2x2 [output]\n");
    // norm: x + 2 and 2x - 4; stretched: 10x + 21 and 20x - 38.
    CHECK(op_of<convolution>(c.g, "stretch").weights == values{50, 120});
    CHECK(op_of<convolution>(c.g, "stretch").bias == values{31, -18});
  }
  SUBCASE("into a scale without a convolution") {
    chain c({2, 1, 1});
    c.add("norm", norm).add("stretch", scale{.factor = {10}}).add("prob", softmax{});
    CHECK(c.after<pass::merge_batch_norm>() ==
          "data = input shape=2x1x1 () : 2x1x1\n"
          "norm = scale factor[2] bias[2] (data) : 2x1x1\n"
          "prob = softmax (norm) : 2x1x1 [output]\n");
    CHECK(op_of<scale>(c.g, "norm").factor == values{10, 20});
    CHECK(op_of<scale>(c.g, "norm").bias == values{20, -40});
  }
  SUBCASE("not behind an activation, nor if the convolution is read elsewhere") {
    chain c({1, 1, 1});
    c.add("act", convolution{.kernels = 2, .weights = {1, 1}, .relu = true}).add("norm", norm);
    c.add("conv", convolution{.kernels = 2, .weights = {1, 1, 1, 1}});
    const auto conv = c.last;
    c.add("norm2", norm);
    c.last = c.g.add("sum", add{}, {c.last, conv});
    CHECK(c.after<pass::merge_batch_norm>() ==
          "data = input () : 1x1x1\n"
          "act = convolution kernels=2 window=1x1 stride=1x1 weights[2] relu (data) : 2x1x1\n"
          "norm = scale factor[2] bias[2] (act) : 2x1x1\n"
          "conv = convolution kernels=2 window=1x1 stride=1x1 weights[4] (norm) : 2x1x1\n"
          "norm2 = scale factor[2] bias[2] (conv) : 2x1x1\n"
          "sum = add (norm2, conv) : 2x1x1 [output]\n");
  }
}

TEST_CASE("merge_bias") {
  const auto with_constant = [](chain& c, float_tensor value) {
    const auto k = c.g.add("k", constant{std::move(value)});
    c.last = c.g.add("plus", add{.relu = true}, {k, c.last});
  };
  SUBCASE("into a fully connected layer") {
    chain c({1, 1, 1});
    c.add("fc", fully_connected{.outputs = 2, .weights = {1, 2}});
    with_constant(c, {{2, 1, 1}, {3, 4}});
    CHECK(c.after<pass::merge_bias>() ==
          "data = input () : 1x1x1\n"
          "plus = fully_connected outputs=2 weights[2] bias[2] relu (data) : 2x1x1 [output]\n");
    CHECK(op_of<fully_connected>(c.g, "plus").bias == values{3, 4});
  }
  SUBCASE("one value per channel elsewhere becomes a scale") {
    chain c({2, 1, 2});
    with_constant(c, {{2, 1, 2}, {3, 3, 4, 4}});
    CHECK(c.after<pass::merge_bias>() ==
          "data = input shape=2x1x2 () : 2x1x2\n"
          "plus = scale factor[2] bias[2] relu (data) : 2x1x2 [output]\n");
    CHECK(op_of<scale>(c.g, "plus").bias == values{3, 4});
  }
  SUBCASE("other constants stay") {
    chain c({2, 1, 2});
    with_constant(c, {{2, 1, 2}, {3, 3, 4, 5}});
    CHECK(c.after<pass::merge_bias>() ==
          "data = input shape=2x1x2 () : 2x1x2\n"
          "k = constant value=2x1x2 () : 2x1x2\n"
          "plus = add relu (k, data) : 2x1x2 [output]\n");
  }
}

TEST_CASE("batch normalisation and relu behind a concat go into all that it joins, or into none") {
  const auto joined = [](bool relu_before) {
    chain c({2, 1, 1});
    const auto in = c.last;
    const auto a = c.g.add("a", convolution{.kernels = 1, .weights = {1, 2}, .bias = {3}}, {in});
    const auto b = c.g.add("b", convolution{.kernels = 2, .weights = {1, 0, 0, 1},
                                            .relu = relu_before}, {in});
    c.last = c.g.add("joined", concat{}, {a, b});
    c.add("norm", batch_norm{.mean = {1, 2, 0}, .variance = {1, 1, 4}, .epsilon = 0});
    c.add("relu", relu{});
    return c;
  };
  using both = pass::pipeline<pass::merge_batch_norm, pass::fuse_relu>;
  struct passes {
    static void run(graph& g) { both::run(g); }
  };
  auto c = joined(false);
  c.after<passes>();
  CHECK(c.g.size() == 4);
  CHECK(op_of<convolution>(c.g, "a").bias == values{2});
  CHECK(op_of<convolution>(c.g, "b").weights == values{1, 0, 0, 0.5F});
  CHECK(op_of<convolution>(c.g, "b").bias == values{-2, 0});
  CHECK(op_of<convolution>(c.g, "a").relu);
  CHECK(op_of<convolution>(c.g, "b").relu);
  auto kept = joined(true);
  kept.after<passes>();
  CHECK(op_of<convolution>(kept.g, "a").bias == values{3});
}

TEST_CASE("fuse_relu") {
  chain c({1, 2, 2});
  c.add("conv", convolution{.weights = {1}})
      .add("act", relu{})
      .add("pool", pool{})
      .add("act2", relu{});
  c.add("wide", scale{.factor = {2}});
  const auto wide = c.last;
  c.add("act3", relu{});
  c.last = c.g.add("sum", add{}, {c.last, wide});
  c.add("act4", relu{});
  CHECK(c.after<pass::fuse_relu>() ==
        "data = input shape=1x2x2 () : 1x2x2\n"
        "conv = convolution window=1x1 stride=1x1 weights[1] relu (data) : 1x2x2\n"
        "pool = pool maximum window=1x1 stride=1x1 (conv) : 1x2x2\n"
        "wide = scale factor[1] (pool) : 1x2x2\n"
        "act3 = relu (wide) : 1x2x2\n"
        "act4 = add relu (act3, wide) : 1x2x2 [output]\n");
}

TEST_CASE("split_global_pool") {
  SUBCASE("a mean of at most 16 x 16 stays whole") {
    chain c({1, 16, 6});
    c.add("mean", pool{.kind = pool_kind::average, .window = {.kernel_h = 16, .kernel_w = 6}});
    CHECK(c.after<pass::split_global_pool>() ==
          "data = input shape=1x16x6 () : 1x16x6\n"
          "mean = pool average global (data) : 1x1x1 [output]\n");
  }
  SUBCASE("a large mean has levels and a factor") {
    chain c({1, 23, 8});
    c.add("mean", pool{.kind = pool_kind::average, .global = true});
    CHECK(
        c.after<pass::split_global_pool>() ==
        "data = input shape=1x23x8 () : 1x23x8\n"
        "mean/level_1 = pool average window=3x1 stride=3x1 pads=0,0,1,0 count_include_pad "
        "(data) : 1x8x8\n"
        "mean/level_2 = pool average window=8x8 stride=8x8 count_include_pad "
        "(mean/level_1) : 1x1x1\n"
        "mean = scale factor[1] (mean/level_2) : 1x1x1 [output]\n");
    CHECK(op_of<scale>(c.g, "mean").factor.at(0) == doctest::Approx(24.0 / 23));
  }
  SUBCASE("no factor where the windows fit, and none for a maximum") {
    chain c({1, 24, 9});
    c.add("mean", pool{.kind = pool_kind::average, .window = {.kernel_h = 24, .kernel_w = 9}});
    CHECK(c.after<pass::split_global_pool>().find("scale") == std::string::npos);
    chain m({1, 13, 13});
    m.add("top", pool{.global = true});
    CHECK(m.after<pass::split_global_pool>().find("scale") == std::string::npos);
  }
  SUBCASE("windows that do not take in everything stay") {
    chain c({1, 12, 12});
    c.add("mean", pool{.kind = pool_kind::average, .window = {.kernel_h = 9, .kernel_w = 9}});
    CHECK(c.after<pass::split_global_pool>().find("level") == std::string::npos);
  }
}

TEST_CASE("levels of a whole pooling pad the least") {
  static_assert(pass::pool_levels(1) == std::vector<std::int32_t>{1});
  static_assert(pass::pool_levels(13) == std::vector<std::int32_t>{2, 7});
  CHECK(pass::pool_levels(64) == std::vector<std::int32_t>{8, 8});
  CHECK(pass::pool_levels(65) == std::vector<std::int32_t>{2, 5, 7});
  for (std::int32_t n = 1; n <= 512; ++n) {
    std::int64_t least = 1 << 30;
    for (std::int64_t i = 1; i <= 8; ++i)
      for (std::int64_t j = 1; j <= 8; ++j)
        for (std::int64_t k = 1; k <= 8; ++k)
          if (i * j * k >= n) least = std::min(least, i * j * k);
    std::int64_t reach = 1;
    for (const auto k : pass::pool_levels(n)) reach *= k;
    if (n > 64) CHECK(reach == least);
    CHECK(reach >= n);
    CHECK(pass::pool_levels(n).size() == (n <= 8 ? 1U : n <= 64 ? 2U : 3U));
  }
}

TEST_CASE("a whole pooling computes the same in levels") {
  for (const auto kind : {pool_kind::average, pool_kind::maximum, pool_kind::minimum})
    for (const shape in : {shape{2, 9, 9}, shape{1, 13, 5}, shape{1, 64, 65}, shape{3, 17, 31}}) {
      for (const bool padded : {false, true}) {
        pool whole{.kind = kind, .global = true};
        if (padded)
          whole = {
              .kind = kind,
              .window = {.kernel_h = in.h + 2, .kernel_w = in.w + 1, .pad_top = 2, .pad_right = 1},
              .count_include_pad = true};
        chain c(in);
        c.add("whole", whole);
        c.g[c.last].output = true;
        infer_shapes(c.g);
        float_tensor x{in};
        for (std::size_t i = 0; i < x.values.size(); ++i)
          x.values[i] = static_cast<float>(i * 37 % 101) - 80;
        const auto before = evaluate(c.g, x);
        c.after<pass::split_global_pool>();
        const auto after = evaluate(c.g, x);
        for (std::size_t i = 0; i < before[0].values.size(); ++i)
          CHECK(after[0].values[i] == doctest::Approx(before[0].values[i]).epsilon(1e-5));
        for (graph::id n = 0; n < c.g.size(); ++n)
          if (const auto* p = std::get_if<pool>(&c.g[n].op)) {
            if (p->global) {
              CHECK(kind == pool_kind::average);
              CHECK(std::max(in.h, in.w) <= pass::whole_mean);
            }
            CHECK(p->window.kernel_h <= 8);
            CHECK(p->window.kernel_w <= 8);
            CHECK(p->window.pad_bottom <= 7);
          }
      }
    }
}
