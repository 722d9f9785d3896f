// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/compose_convolutions.hpp>

using namespace nvdlac;

namespace {

struct row {
  net::graph g{};
  std::mt19937 random{3};
  net::graph::id last = g.add("in", net::input{{4, 6, 7}});
  std::int32_t channels = 4;

  float number() { return static_cast<float>(random() % 2001) / 1000 - 1; }
  net::convolution& add(std::int32_t kernels, net::window window, bool bias = true) {
    net::convolution c{.kernels = kernels, .window = window};
    for (std::int64_t i = 0; i < net::product({kernels, channels, window.kernel_h,
                                               window.kernel_w}); ++i)
      c.weights.push_back(number());
    for (std::int32_t k = 0; k < kernels && bias; ++k) c.bias.push_back(number());
    last = g.add("c" + std::to_string(g.size()), std::move(c), {last});
    channels = kernels;
    return std::get<net::convolution>(g[last].op);
  }
  std::vector<float> result() {
    net::infer_shapes(g);
    net::float_tensor x{{4, 6, 7}};
    std::mt19937 other{5};
    for (float& v : x.values) v = static_cast<float>(other() % 2001) / 1000 - 1;
    return net::evaluate(g, x).at(0).values;
  }
  // The convolutions afterwards, which give the same.
  std::size_t composed() {
    g[last].output = true;
    const auto before = result();
    pass::compose_convolutions::run(g);
    const auto after = result();
    CHECK(net::verify(g).empty());
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i)
      CHECK(std::fabs(after[i] - before[i]) <= 1e-4F * (1 + std::fabs(before[i])));
    return g.size() - 1;
  }
};

constexpr net::window point{};
constexpr net::window window{.kernel_h = 3, .kernel_w = 2, .stride_h = 2, .pad_top = 1,
                             .pad_right = 1};
constexpr net::window bare{.kernel_h = 3, .kernel_w = 3};

}  // namespace

TEST_CASE("an expansion that only a projection reads goes") {
  row r;
  r.add(16, window);
  r.add(3, point).relu = true;
  CHECK(r.composed() == 1);
  row three;
  three.add(8, point);
  three.add(16, point, false);
  three.add(4, point);
  CHECK(three.composed() == 1);
}

TEST_CASE("a 1x1 convolution goes into the window behind it where no padding meets its bias") {
  row r;
  r.add(6, point);
  r.add(4, bare);
  CHECK(r.composed() == 1);
  row padded;
  padded.add(6, point);
  padded.add(4, window);
  CHECK(padded.composed() == 2);
  row unbiased;
  unbiased.add(6, point, false);
  unbiased.add(4, window);
  CHECK(unbiased.composed() == 1);
}

TEST_CASE("two readers each take what they read, where both are no more work") {
  for (const bool wide : {false, true}) {
    row r;
    r.add(24, point);
    const auto first = r.last;
    r.add(wide ? 40 : 6, bare);
    const auto one = r.last;
    r.last = first;
    r.channels = 24;
    r.add(wide ? 40 : 6, bare);
    const auto other = r.last;
    r.last = r.g.add("sum", net::add{}, {one, other});
    CHECK(r.composed() == 3);  // without the first one
    CHECK(r.g.consumers(0).size() == 2);
  }
  row r;
  r.add(2, point);
  const auto first = r.last;
  r.add(16, point);
  const auto one = r.last;
  r.last = r.g.add("again", net::relu{}, {first});
  r.channels = 2;
  r.add(16, point);
  r.last = r.g.add("sum", net::add{}, {one, r.last});
  CHECK(r.composed() == 5);
}

TEST_CASE("what is more work, has a function between or two readers stays") {
  row narrow;  // a bottleneck
  narrow.add(40, point).relu = true;
  narrow.add(8, point);
  narrow.add(40, point);
  CHECK(narrow.composed() == 3);
  row cut;
  cut.add(16, point).relu = true;
  cut.add(3, point);
  CHECK(cut.composed() == 2);
  row windows;
  windows.add(16, bare);
  windows.add(2, bare);
  CHECK(windows.composed() == 2);
  row read;
  read.add(16, point);
  const auto first = read.last;
  read.add(3, point);
  read.g[first].output = true;
  CHECK(read.composed() == 2);
}
