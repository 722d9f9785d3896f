// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/cut_cubes.hpp>
#include <nvdlac/pass/simplify.hpp>

using namespace nvdlac;

namespace {

template <class Op>
void check(const Op& op, net::shape in, bool cut) {
  net::graph g;
  const auto x = g.add("x", net::input{in});
  const auto y = g.add("y", op, {x});
  g[y].output = true;
  net::infer_shapes(g);
  net::float_tensor values{in};
  for (std::size_t i = 0; i < values.values.size(); ++i)
    values.values[i] = static_cast<float>(i * 37 % 101) - 50;
  const auto before = net::evaluate(g, values).at(0).values;
  pass::cut_cubes::run(g);
  CHECK((g.size() > 2) == cut);
  CHECK(net::verify(g).empty());
  CHECK(net::evaluate(g, values).at(0).values == before);
  for (net::graph::id n = 0; n < g.size(); ++n)
    if (std::holds_alternative<Op>(g[n].op)) {
      const auto& from = g[g.inputs(n)[0]].shape;
      CHECK(std::max({from.h, from.w, g[n].shape.h, g[n].shape.w}) <= (cut ? 8192 : 16384));
    }
}

}  // namespace

TEST_CASE("convolutions and poolings over more lines or columns than a cube has are cut") {
  const auto filters = [](net::window w, std::int32_t channels) {
    std::vector<float> weights(static_cast<std::size_t>(2 * channels * w.kernel_h * w.kernel_w));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 5) - 2;
    return net::convolution{.kernels = 2, .window = w, .weights = weights, .bias = {1, -1},
                            .relu = true};
  };
  check(filters({.kernel_h = 5, .stride_h = 2, .pad_top = 2, .pad_bottom = 2}, 1), {1, 16384, 1},
        true);
  check(filters({.kernel_w = 3, .pad_left = 1, .pad_right = 1}, 2), {2, 2, 8200}, true);
  check(filters({}, 1), {1, 8193, 1}, true);
  check(filters({.kernel_h = 3}, 1), {1, 8192, 1}, false);
  check(net::pool{.window = {.kernel_w = 3, .stride_w = 2, .pad_left = 1}}, {1, 1, 9001}, true);
  check(net::pool{.kind = net::pool_kind::average,
                  .window = {.kernel_w = 2, .stride_w = 2}}, {1, 1, 9000}, true);
}
