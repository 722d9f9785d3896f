// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/repeat_last.hpp>

using namespace nvdlac;

namespace {

// Each element of 3x2x2 twice in both directions, and behind it a 1x1 convolution.
struct enlarged {
  net::graph g{};

  explicit enlarged(std::int32_t kernels, net::window window = {}, float fill = 0) {
    const auto in = g.add("in", net::input{{3, 2, 2}});
    net::move twice{.target = {3, 4, 4}, .fill = fill};
    std::vector<net::box> boxes;
    for (const std::int32_t x : {0, 1})
      boxes.push_back({.input = fill != 0 && x == 1 ? net::box::filled : 0,
                       .to = {0, 0, x},
                       .loops = {{{3, {1, 0, 0}, {1, 0, 0}},
                                  {2, {0, 2, 0}, {0, 1, 0}},
                                  {2, {0, 1, 0}, {0, 0, 0}},
                                  {2, {0, 0, 2}, {0, 0, 1}}}}});
    twice.boxes = boxes;
    const auto large = g.add("large", twice, {in});
    net::convolution c{.kernels = kernels, .window = window, .relu = true};
    const auto taps = window.kernel_h * window.kernel_w;
    for (std::int32_t i = 0; i < kernels * 3 * taps; ++i)
      c.weights.push_back(static_cast<float>(i % 5) - 1.5F);
    for (std::int32_t k = 0; k < kernels; ++k) c.bias.push_back(static_cast<float>(k));
    g[g.add("y", std::move(c), {large})].output = true;
    net::infer_shapes(g);
  }
  std::vector<float> result() {
    net::infer_shapes(g);
    net::float_tensor x{{3, 2, 2}};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i);
    return net::evaluate(g, x).at(0).values;
  }
  bool exchanged() {
    const auto before = result();
    pass::repeat_last::run(g);
    CHECK(result() == before);
    CHECK(net::verify(g).empty());
    CHECK(g[g.outputs().at(0)].name == "y");
    return std::holds_alternative<net::move>(g[g.outputs().at(0)].op);
  }
};

}  // namespace

TEST_CASE("a 1x1 convolution of no more channels computes what is repeated behind it") {
  CHECK(enlarged(2).exchanged());
  CHECK(enlarged(3).exchanged());
  CHECK_FALSE(enlarged(4).exchanged());
}

TEST_CASE("windows and fill values see more than one place") {
  CHECK_FALSE(enlarged(2, {.kernel_h = 2, .kernel_w = 2}).exchanged());
  CHECK_FALSE(enlarged(2, {}, 1.5F).exchanged());
}
