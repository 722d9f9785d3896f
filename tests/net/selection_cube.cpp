// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/net/selection_cube.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

using numbers = std::vector<std::int32_t>;

constexpr shape source{6, 5, 7};

// The list over some places of lines, columns and channels, in this order; -1 is filled.
numbers lines_first(const numbers& lines, const numbers& columns, const numbers& channels) {
  numbers list;
  for (const auto y : lines)
    for (const auto x : columns)
      for (const auto c : channels)
        list.push_back(y < 0 || x < 0 || c < 0 ? -1
                                               : static_cast<std::int32_t>(source.at(c, y, x)));
  return list;
}
numbers all(std::int32_t n) {
  numbers result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  return result;
}
// The shape of the cube of a list, whose elements are looked at.
std::optional<shape> cube_of(const numbers& list, const numbers& sides) {
  const auto found = find_selection_cube(list, sides, source);
  if (!found) return std::nullopt;
  REQUIRE(found->from.size() == list.size());
  REQUIRE(found->shape.size() == list.size());
  std::vector<bool> seen(list.size(), false);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto place = static_cast<std::size_t>(found->place.at(i));
    CHECK(found->from.at(place) == list[i]);
    CHECK_FALSE(seen[place]);
    seen[place] = true;
  }
  return found->shape;
}

}  // namespace

TEST_CASE("channels, lines and columns of a selection stay what they are") {
  CHECK(cube_of(lines_first(all(5), all(7), all(4)), {1, 5, 7, 4}) == shape{4, 5, 7});
  CHECK(cube_of(lines_first({1, 2, 3, 4}, all(7), all(6)), {1, 4, 7, 6}) == shape{6, 4, 7});
  CHECK(cube_of(lines_first(all(5), all(7), {5, 4, 3, 2, 1, 0}), {1, 5, 7, 6}) == source);
  CHECK(cube_of(lines_first({-1, 0, 1, 2, 3, 4, -1}, all(7), all(6)), {1, 7, 7, 6}) ==
        shape{6, 7, 7});
  CHECK(cube_of(lines_first({0, 0, 1, 1}, {0, 0, 1, 1, 2, 2}, all(6)), {1, 4, 6, 6}) ==
        shape{6, 4, 6});
  CHECK(cube_of(lines_first({2}, all(7), {3}), {7}) == shape{1, 1, 7});
  // In one dimension as well.
  CHECK(cube_of(lines_first(all(5), all(7), {0, 2, 4}), {105}) == shape{3, 5, 7});
}

TEST_CASE("places that are cut out of lines are those of one line") {
  auto list = lines_first(all(5), all(7), all(6));
  list.erase(list.begin(), list.begin() + 6);
  CHECK(cube_of(list, {1, 34, 6}) == shape{6, 1, 34});
}

TEST_CASE("lists in which channels and places cannot be told apart have no such cube") {
  numbers diagonal;
  for (std::int32_t i = 0; i < 5; ++i)
    diagonal.push_back(static_cast<std::int32_t>(source.at(i, i, i)));
  CHECK_FALSE(cube_of(diagonal, {5}));
  auto flat = all(static_cast<std::int32_t>(source.size()));
  flat.erase(flat.begin());
  CHECK_FALSE(cube_of(flat, {1, static_cast<std::int32_t>(flat.size())}));
  CHECK_FALSE(cube_of(numbers(12, -1), {3, 4}));
}

TEST_CASE("any selections of places along the axes have their cube, in any order of the axes") {
  std::mt19937 random(5);
  const auto some = [&](std::int32_t side) {
    numbers places;
    const auto n = 1 + random() % 9;
    for (std::size_t i = 0; i < n; ++i)
      places.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(side + 1)) - 1);
    places.push_back(0);
    return places;
  };
  for (int i = 0; i < 300; ++i) {
    const auto lines = some(source.h), columns = some(source.w), channels = some(source.c);
    const auto side = [](const numbers& places) {
      return static_cast<std::int32_t>(places.size());
    };
    CHECK(cube_of(lines_first(lines, columns, channels),
                  {1, side(lines), side(columns), side(channels)}));
  }
}
