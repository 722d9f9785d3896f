// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/constant_channels.hpp>

#include "same_values.hpp"
#include "tests/net/random.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// A convolution of parts of so many channels: of the input, or constants.
graph beside(const std::vector<std::pair<std::int32_t, bool>>& parts, net::window window) {
  randomness random(5);
  graph g;
  std::vector<graph::id> joined;
  std::int32_t channels = 0;
  graph::id last = g.add("data", input{{3, 6, 5}}, {});
  for (const auto& [c, constant_maps] : parts) {
    channels += c;
    if (constant_maps) {
      float_tensor value{{c, 6, 5}};
      value.values = random.reals(value.values.size());
      joined.push_back(g.add("constant" + std::to_string(joined.size()), constant{value}, {}));
    } else {
      convolution point{.kernels = c};
      point.weights = random.reals(static_cast<std::size_t>(3 * c));
      last = g.add("part" + std::to_string(joined.size()), std::move(point), {0});
      joined.push_back(last);
    }
  }
  const auto all = g.add("all", concat{}, joined);
  convolution c{.kernels = 4, .window = window, .relu = true};
  c.weights = random.reals(static_cast<std::size_t>(4 * channels * window.kernel_h *
                                                    window.kernel_w));
  c.bias = random.reals(4);
  g[g.add("y", std::move(c), {all})].output = true;
  infer_shapes(g);
  return g;
}

// Whether the last node is a sum behind the pass.
bool is_split(graph g) {
  g = same_behind<pass::constant_channels>(std::move(g));
  const auto y = g.outputs().at(0);
  CHECK(g[y].name == "y");
  return std::holds_alternative<add>(g[y].op);
}

const net::window strided{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2, .pad_top = 1,
                          .pad_left = 1, .pad_bottom = 1, .pad_right = 1};

}  // namespace

TEST_CASE("a convolution beside constant maps adds what it sums of them") {
  CHECK(is_split(beside({{3, false}, {1, true}, {1, true}}, strided)));
  CHECK(is_split(beside({{2, true}, {3, false}}, {})));
  CHECK(is_split(beside({{2, false}, {1, true}, {4, false}, {2, true}}, strided)));
}

TEST_CASE("constants beside whole atoms, or none, stay where they are") {
  CHECK(!is_split(beside({{8, false}, {2, true}}, strided)));
  CHECK(!is_split(beside({{3, false}, {2, false}}, strided)));
  CHECK(!is_split(beside({{2, true}, {2, true}}, strided)));
}
