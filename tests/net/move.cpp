// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <variant>
#include <vector>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/move.hpp>

#include "../random_maps.hpp"
#include "random.hpp"

using namespace nvdlac;
using net::box, net::position, net::rule, net::shape;

TEST_CASE("boxes move what their map tells") {
  randomness random(1);
  for (int n = 0; n < 400; ++n) {
    const shape in{random.integer(1, 12), random.integer(1, 7), random.integer(1, 7)};
    const auto map = random_map(in, [&](int low, int high) { return random.integer(low, high); });
    const auto boxes = net::find_boxes(map.from, map.to, in);
    CHECK(boxes.size() <= map.from.size());

    const auto x = random.int8(in);
    const quantised::move op{.target = map.to, .boxes = boxes, .fill = 5};
    REQUIRE(op.fit(std::array{in}).ok());
    diagnostics found;
    op.check(std::array{in}, found, "move");
    CHECK(found.problems().empty());
    const std::array<const net::int8_tensor*, 1> inputs{&x};
    const auto y = op.evaluate(std::span<const net::int8_tensor* const>(inputs));
    CHECK(y.shape == map.to);
    for (std::size_t i = 0; i < map.from.size(); ++i) {
      const auto from = map.from[i];
      REQUIRE(y.values[i] == (from < 0 ? 5 : x.values[static_cast<std::size_t>(from)]));
    }
  }
}

TEST_CASE("regular movements have few boxes") {
  const auto boxes = [](shape in, const element_map& m) {
    return net::find_boxes(m.from, m.to, in).size();
  };
  const shape in{24, 12, 10};
  const auto at = [&](auto c, auto y, auto x) { return static_cast<std::int32_t>(in.at(c, y, x)); };
  CHECK(boxes(in, map_of({24, 24, 20}, [&](auto c, auto y, auto x) {
    return at(c, y / 2, x / 2);
  })) == 2);
  CHECK(boxes(in, map_of({6, 24, 20}, [&](auto c, auto y, auto x) {
    return at((y % 2 * 2 + x % 2) * 6 + c, y / 2, x / 2);
  })) == 2);
  CHECK(boxes(in, map_of({24, 10, 12}, [&](auto c, auto y, auto x) { return at(c, x, y); })) == 1);
  CHECK(boxes(in, map_of({24 * 120, 1, 1}, [&](auto i, auto, auto) {
    return at(i % 24, i / 240, i / 24 % 10);
  })) == 1);
  CHECK(boxes(in, map_of({24, 11, 9}, [&](auto c, auto y, auto x) {
    return at(23 - c, 11 - y, x + 1);
  })) == 1);
}

TEST_CASE("moves that leave their tensors or leave something out are refused") {
  const std::array in{shape{4, 3, 3}};
  const auto broken = [&](std::vector<box> boxes, shape target) {
    return net::move{.target = target, .boxes = std::move(boxes)}.fit(in).broken;
  };
  const net::box_loop down{3, {0, 1, 0}, {0, 1, 0}}, along{3, {0, 0, 1}, {0, 0, 1}};
  CHECK(broken({{.loops = {down, along}}}, {1, 3, 3}) == rule::none);
  CHECK(broken({{.from = {3, 0, 0}, .loops = {down, along}}}, {1, 3, 3}) == rule::none);
  CHECK(broken({{.from = {4, 0, 0}, .loops = {down, along}}}, {1, 3, 3}) ==
        rule::moves_elements_outside_its_tensors);
  CHECK(broken({{.input = 1, .loops = {down, along}}}, {1, 3, 3}) ==
        rule::moves_elements_outside_its_tensors);
  CHECK(broken({{.input = -2, .loops = {down, along}}}, {1, 3, 3}) ==
        rule::moves_elements_outside_its_tensors);
  CHECK(broken({{.loops = {down, {0, {}, {}}}}}, {1, 3, 3}) ==
        rule::moves_elements_outside_its_tensors);
  CHECK(broken({{.loops = {down}}}, {1, 3, 3}) ==
        rule::moves_another_number_of_elements_than_its_result_has);
  CHECK(broken({{.loops = {down, along}}}, {0, 3, 3}) == rule::dimension_below_1);
  // As many elements as the result has, but two of them in one place.
  diagnostics found;
  const net::move twice{.target = {1, 3, 1}, .boxes = std::vector<box>{{.loops = {down}},
                                                                      {.to = {0, 2, 0}}}};
  CHECK_FALSE(twice.fit(in).ok());
  const net::move again{.target = {1, 4, 1}, .boxes = std::vector<box>{{.loops = {down}},
                                                                      {.to = {0, 2, 0}}}};
  REQUIRE(again.fit(in).ok());
  again.check(in, found, "again");
  CHECK(found.problems().size() == 1);
}

TEST_CASE("an irregular movement of many elements is refused") {
  const shape s{1, 400, 400};
  std::vector<std::int32_t> from(s.size());
  std::mt19937 random(1);
  for (auto& f : from) f = static_cast<std::int32_t>(random() % s.size());
  CHECK_THROWS_AS(net::find_boxes(from, s, s), error);
}

TEST_CASE("each element that moves tells the channels that it leaves and reaches") {
  using any = std::variant<net::move, net::concat, net::reshape, net::flatten, net::identity, int>;
  const std::vector<shape> in{{2, 2, 2}, {1, 2, 2}};
  const auto pairs = [&](const any& op, std::span<const shape> read, shape out) {
    std::map<std::array<std::size_t, 3>, int> result;
    CHECK(net::each_moved(op, read, out, [&](std::size_t k, std::size_t from, std::size_t to) {
      ++result[{k, from, to}];
    }));
    return result;
  };
  using found = std::map<std::array<std::size_t, 3>, int>;
  const std::span one(in.data(), 1);
  CHECK(pairs(net::concat{}, in, {3, 2, 2}) ==
        found{{{0, 0, 0}, 4}, {{0, 1, 1}, 4}, {{1, 0, 2}, 4}});
  CHECK(pairs(net::identity{}, one, in[0]) == found{{{0, 0, 0}, 4}, {{0, 1, 1}, 4}});
  CHECK(pairs(net::reshape{{1, 2, 4}}, one, {1, 2, 4}) == found{{{0, 0, 0}, 4}, {{0, 1, 0}, 4}});
  CHECK(pairs(net::flatten{}, one, {8, 1, 1}).size() == 8);
  net::move swapped{.target = {2, 1, 2}};
  for (std::int32_t c = 0; c < 2; ++c)
    swapped.boxes.push_back({.to = {c, 0, 0}, .from = {1 - c, 0, 0},
                             .loops = {{{2, {0, 0, 1}, {0, 0, 1}}}}});
  CHECK(pairs(swapped, one, {2, 1, 2}) == found{{{0, 1, 0}, 2}, {{0, 0, 1}, 2}});
  swapped.boxes[0].input = box::filled;
  CHECK(pairs(swapped, one, {2, 1, 2}) == found{{{0, 0, 1}, 2}});
  const auto none = [](auto...) { CHECK(false); };
  swapped.fill = 1;
  CHECK_FALSE(net::each_moved(any(swapped), one, {2, 1, 2}, none));
  CHECK_FALSE(net::each_moved(any(1), one, {2, 1, 2}, none));
}
