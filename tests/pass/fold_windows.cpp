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
  odd.pad_top = 1, odd.pad_bottom = 5;
  CHECK(is_folded({2, 12, 5}, 1, odd));
  odd.pad_top = 6, odd.pad_bottom = 0;
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
