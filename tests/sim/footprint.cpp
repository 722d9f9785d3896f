// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/sim/footprint.hpp>

#include <cstdint>
#include <random>
#include <set>

#include <doctest/doctest.h>

using namespace nvdlac;

namespace {

using range = sim::footprint::range;

sim::footprint of(std::initializer_list<range> ranges) {
  sim::footprint f;
  for (const auto& r : ranges) f.add(r.begin, r.end - r.begin);
  f.close();
  return f;
}

}  // namespace

TEST_CASE("a footprint is what was added, in order and joined") {
  CHECK(of({{8, 16}, {0, 8}}) == of({{0, 16}}));
  CHECK(of({{0, 4}, {2, 16}, {3, 5}}) == of({{0, 16}}));
  CHECK(of({{0, 4}, {5, 6}}) != of({{0, 6}}));
  CHECK(of({{3, 3}}) == of({}));
}

TEST_CASE("two footprints meet where they have bytes in common") {
  CHECK(of({{0, 8}, {16, 24}}).common_with(of({{8, 16}, {23, 30}})) == range{23, 24});
  CHECK(!of({{0, 8}, {16, 24}}).common_with(of({{8, 16}, {24, 30}})));
  CHECK(!of({}).common_with(of({{0, 100}})));
}

TEST_CASE("random footprints meet as their sets of bytes do") {
  std::mt19937 random(20);
  for (int trial = 0; trial < 500; ++trial) {
    sim::footprint a, b;
    std::set<std::uint64_t> bytes_a, bytes_b;
    for (int i = 0; i < 4; ++i)
      for (auto* const side : {&a, &b}) {
        const std::uint64_t begin = random() % 60, size = random() % 6;
        side->add(begin, size);
        for (std::uint64_t k = begin; k < begin + size; ++k)
          (side == &a ? bytes_a : bytes_b).insert(k);
      }
    a.close();
    b.close();
    std::uint64_t first = 1000;
    for (const auto k : bytes_a)
      if (bytes_b.contains(k)) first = std::min(first, k);
    const auto common = a.common_with(b);
    REQUIRE(common.has_value() == (first != 1000));
    if (common) CHECK(common->begin == first);
  }
}
