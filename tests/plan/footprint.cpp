// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <set>

#include <nvdlac/plan/checker/memory.hpp>

using namespace nvdlac;
using plan::checker::footprint;

namespace {

std::set<std::uint64_t> bytes_of(const footprint& f) {
  std::set<std::uint64_t> all;
  f.each_run([&](std::uint64_t at, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) all.insert(at + i);
  });
  return all;
}

footprint random_footprint(std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return low + random() % (high - low + 1);
  };
  footprint f{
      .begin = pick(0, 60), .length = pick(1, 9), .lines = pick(1, 4), .planes = pick(1, 3)};
  f.line_stride = f.length + pick(0, 1) * pick(0, 9);
  f.plane_stride = (f.lines - 1) * f.line_stride + f.length + pick(0, 1) * pick(0, 30);
  if (pick(0, 3) == 0) f.line_stride = pick(0, 30);  // surfaces in lines, lines that overlap
  if (pick(0, 5) == 0) f.plane_stride = pick(0, 30);
  return f;
}

// Two halves of the channels of one cube: no byte in common.
constexpr layer::surface whole = layer::packed({16, 4, 4}, bytes{8});
constexpr auto low = layer::part(whole, bytes{8}, 0, 0, 0, {8, 4, 4});
constexpr auto high = layer::part(whole, bytes{8}, 8, 0, 0, {8, 4, 4});
constexpr auto of = [](const layer::surface& s) {
  return plan::checker::footprint_of(s, plan::checker::kind::feature, bytes{8});
};
static_assert(!overlap(of(low), of(high)));
static_assert(overlap(of(whole), of(high)));
// Two columns of it.
static_assert(!overlap(of(layer::part(whole, bytes{8}, 0, 0, 0, {16, 4, 2})),
                       of(layer::part(whole, bytes{8}, 0, 0, 2, {16, 4, 2}))));
static_assert(overlap(of(layer::part(whole, bytes{8}, 0, 0, 0, {16, 4, 3})),
                      of(layer::part(whole, bytes{8}, 0, 0, 2, {16, 4, 2}))));

}  // namespace

TEST_CASE("footprints overlap exactly if they have a byte in common") {
  std::mt19937_64 random(1);
  int overlapping = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto a = random_footprint(random), b = random_footprint(random);
    const auto x = bytes_of(a), y = bytes_of(b);
    const bool common = std::any_of(x.begin(), x.end(), [&](auto at) { return y.contains(at); });
    overlapping += common;
    CHECK(overlap(a, b) == common);
    CHECK(bytes_of(merged(a)) == x);
    CHECK(overlap(merged(a), merged(b)) == common);
    CHECK(merged(a).lines * merged(a).planes <= a.lines * a.planes);
  }
  CHECK(overlapping > 4000);
  CHECK(overlapping < 16000);
}

TEST_CASE("a set of bytes knows what was added") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    plan::checker::byte_set set;
    std::set<std::uint64_t> model;
    for (int i = 0; i < 12; ++i) {
      const auto from = random() % 40, to = from + 1 + random() % 6;
      set.add(from, to);
      for (auto b = from; b < to; ++b) model.insert(b);
      const auto at = random() % 40, end = at + 1 + random() % 8;
      bool complete = true;
      for (auto b = at; b < end; ++b) complete = complete && model.contains(b);
      CHECK(set.contains(at, end) == complete);
    }
  }
}
