// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/mean_last.hpp>

using namespace nvdlac;

namespace {

enum class features { convolution, fully_connected };

// Whether the mean over a function of a picture comes last; the results are those of before.
bool is_last(net::shape in, std::int32_t kernels, features how = features::convolution,
             bool read_twice = false, bool behind_function = true) {
  std::mt19937 random(static_cast<unsigned>(in.c * 100 + in.h));
  const auto number = [&] { return static_cast<float>(random() % 2001) / 1000 - 1; };
  net::graph g;
  auto map = g.add("in", net::input{in});
  if (behind_function) map = g.add("f", net::relu{}, {map});
  const auto mean =
      g.add("mean", net::pool{.kind = net::pool_kind::average, .global = true}, {map});
  std::vector<float> weights, bias;
  for (std::int32_t i = 0; i < kernels * in.c; ++i) weights.push_back(number());
  for (std::int32_t k = 0; k < kernels; ++k) bias.push_back(number());
  const auto y =
      how == features::convolution
          ? g.add("y", net::convolution{.kernels = kernels, .weights = weights, .bias = bias},
                  {mean})
          : g.add("y",
                  net::fully_connected{.outputs = kernels, .weights = weights, .bias = bias,
                                       .relu = true},
                  {mean});
  g[y].output = true;
  if (read_twice) g[g.add("other", net::relu{}, {mean})].output = true;
  net::infer_shapes(g);
  net::float_tensor x{in};
  for (float& v : x.values) v = number();
  const auto before = net::evaluate(g, x).at(0).values;
  pass::mean_last::run(g);
  net::infer_shapes(g);
  CHECK(net::verify(g).empty());
  CHECK(g[g.outputs().at(0)].name == "y");
  const auto after = net::evaluate(g, x).at(0).values;
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(std::fabs(after[i] - before[i]) <= 1e-5F);
  for (const auto n : g.order())
    if (g[n].name == "mean") return false;
  return true;
}

}  // namespace

TEST_CASE("a few features are computed before the mean") {
  CHECK(is_last({64, 28, 28}, 4));
  CHECK(is_last({64, 28, 28}, 4, features::fully_connected));
  CHECK(is_last({32, 14, 14}, 8));
  CHECK(is_last({16, 19, 23}, 1));  // windows hang over the edge
  CHECK(is_last({8, 70, 65}, 2));   // three levels
  CHECK(is_last({64, 28, 28}, 4, features::convolution, false, false));
}

TEST_CASE("other means come first") {
  CHECK_FALSE(is_last({64, 28, 28}, 9));
  CHECK_FALSE(is_last({4, 28, 28}, 4));
  CHECK_FALSE(is_last({64, 7, 7}, 4));
  CHECK_FALSE(is_last({64, 28, 28}, 4, features::convolution, true));
  CHECK_FALSE(is_last({3, 28, 28}, 1, features::convolution, false, false));  // pixels
}
