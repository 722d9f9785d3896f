// SPDX-License-Identifier: Apache-2.0
// The effect of an effort for int8 on the outputs of a network whose channels have uneven ranges.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

using namespace nvdlac;

namespace {

std::vector<float> noise_of(std::mt19937& random, std::size_t n) {
  std::vector<float> v(n);
  for (float& x : v) x = static_cast<float>(random() >> 8) / 8388608.0F - 1.0F;
  return v;
}

// Two branches, one of which reaches twenty times as far, in one tensor, pooled and filtered. The
// channels of each reach a quarter as far as the one before.
net::graph uneven_branches(std::mt19937& random) {
  net::graph g;
  const auto in = g.add("in", net::input{{3, 12, 12}});
  const auto branch = [&](const char* name, float size) {
    auto weights = noise_of(random, std::size_t{4} * 3);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] *= size * std::ldexp(1.0F, -2 * static_cast<int>(i / 3));
    return g.add(name, net::convolution{.kernels = 4, .weights = weights, .relu = true}, {in});
  };
  const auto loud = branch("loud", 20), quiet = branch("quiet", 1);
  const auto both = g.add("both", net::concat{}, {loud, quiet});
  const auto pooled = g.add("pooled", net::pool{.window = {.kernel_h = 2, .kernel_w = 2,
                                                           .stride_h = 2, .stride_w = 2}}, {both});
  auto weights = noise_of(random, std::size_t{4} * 8);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] *= std::ldexp(i % 8 < 4 ? 0.05F : 1.0F, 2 * static_cast<int>(i % 4));
  const auto last = g.add("last", net::convolution{.kernels = 4, .weights = weights}, {pooled});
  g[last].output = true;
  net::infer_shapes(g);
  return g;
}

std::vector<sample> pictures_of(std::mt19937& random, const net::graph& g, std::size_t n) {
  std::vector<sample> result;
  const auto shape = g[net::input_nodes(g)[0]].shape;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back({net::float_tensor{shape, noise_of(random, shape.size())}});
  return result;
}

// Whether two networks have the same weights and biases.
void check_same_filters(const quantised::graph& a, const quantised::graph& b) {
  REQUIRE(a.size() == b.size());
  for (quantised::graph::id n = 0; n < a.size(); ++n)
    if (const auto* c = a.get_if<quantised::convolution>(n)) {
      const auto& other = std::get<quantised::convolution>(b[n].op);
      CHECK(c->weights == other.weights);
      CHECK(c->bias == other.bias);
    }
}

double error_of(const net::graph& g, const quantised::graph& q, const std::vector<sample>& asked) {
  double sum = 0;
  for (const auto& s : asked) {
    const auto feeds = quant::feeds_of(q, s, {});
    const auto out = quantised::evaluate_any(q, std::span<const quantised::feed>(feeds)).at(0);
    const auto& node = q[q.outputs()[0]];
    const auto found = quantised::real_of(out, node.scale, node.zero).values;
    const auto wanted = net::evaluate(g, s[0]).at(0).values;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      sum += std::pow(double{found[i]} - double{wanted[i]}, 2);
  }
  return sum;
}

}  // namespace

TEST_CASE("an effort brings the outputs nearer to float's, on any number of threads") {
  std::mt19937 random(12);
  const auto g = uneven_branches(random);
  const auto training = pictures_of(random, g, 24), asked = pictures_of(random, g, 24);
  const auto made = [&](int effort, std::size_t threads, std::size_t& scales) {
    compile_options options;
    options.effort = effort;
    options.threads = threads;
    options.choosing_scales = [&](std::size_t done, std::size_t) { scales = done; };
    return prepare(g, std::span<const sample>(training), options, pass::silent{},
                   [](net::graph&) {});
  };
  std::size_t none = 0, all = 0;
  const double plain = error_of(g, made(0, 1, none).integers, asked);
  CHECK(error_of(g, made(1, 1, none).integers, asked) < plain / 2);
  CHECK(error_of(g, made(2, 1, none).integers, asked) < plain / 2);
  CHECK(none == 0);
  const auto most = made(3, 1, all), again = made(3, 3, all);
  CHECK(all == most.scales.entries.size());
  CHECK(error_of(g, most.integers, asked) < plain / 2);
  CHECK(most.scales == again.scales);
  check_same_filters(most.integers, again.integers);
}

TEST_CASE("an effort that makes samples worse that it holds back leaves the default's numbers") {
  std::mt19937 random(12);
  net::graph g;
  const auto in = g.add("in", net::input{{3, 12, 12}});
  const auto last = g.add("last", net::convolution{.kernels = 4, .weights = noise_of(random, 12)},
                          {in});
  g[last].output = true;
  net::infer_shapes(g);
  // All that it chooses by is rounded in one direction, as nothing of what it holds back.
  auto training = pictures_of(random, g, 24);
  for (std::size_t i = 0; i < training.size(); ++i)
    if (i % 4 != 3)
      for (float& v : training[i][0].values) v = (std::floor(100 * v) + 0.45F) / 127;
  std::vector<problem> told;
  const auto made = [&](int effort) {
    told.clear();
    compile_options options;
    options.effort = effort;
    options.without = {"correct_biases"};  // which at an effort only the samples that choose tell
    options.warn = [&](const problem& p) { told.push_back(p); };
    return prepare(g, std::span<const sample>(training), options, pass::silent{},
                   [](net::graph&) {});
  };
  const auto plain = made(0);
  CHECK(told.empty());
  for (const int effort : {2, 3}) {
    const auto more = made(effort);
    check_same_filters(plain.integers, more.integers);
    CHECK(plain.scales == more.scales);
    REQUIRE(told.size() == 1);
    CHECK(told[0].layer == "last");
    CHECK(told[0].reason.starts_with(
        text("an effort of ", effort, " makes this output worse for 6 calibration samples")));
    CHECK(told[0].reason.ends_with("none of its numbers is taken"));
  }
}
