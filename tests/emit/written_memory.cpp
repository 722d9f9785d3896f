// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/emit/written_memory.hpp>

#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/layer/surface.hpp>

using namespace nvdlac;

namespace {

constexpr bytes atom{8};

// Two surfaces of four lines with three columns.
constexpr layer::surface whole = layer::packed({16, 4, 3}, atom, {.buffer = 5, .offset = 32});

std::vector<std::uint8_t> counted(const layer::surface& s) {
  std::vector<std::uint8_t> memory(s.size);
  std::iota(memory.begin(), memory.end(), static_cast<std::uint8_t>(s.at.offset));
  return memory;
}

}  // namespace

TEST_CASE("the lines of a cube are as few pieces as they can be") {
  const auto pieces = [](const layer::surface& s) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    layer::for_each_piece(s, atom, [&](auto at, auto size) { all.emplace_back(at, size); });
    return all;
  };
  using list = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  CHECK(pieces(whole) == list{{0, 192}});
  CHECK(pieces(layer::part(whole, atom, 0, 1, 0, {16, 2, 3})) == list{{0, 48}, {96, 48}});
  CHECK(pieces(layer::part(whole, atom, 8, 0, 1, {8, 3, 1})) == list{{0, 8}, {24, 8}, {48, 8}});
  CHECK(pieces(layer::interleaved({3, 2, 5})) == list{{0, 15}, {32, 15}});
  auto two = layer::packed({8, 1, 2}, atom);
  two.pictures = 2;
  two.picture_stride = 64;
  CHECK(pieces(two) == list{{0, 16}, {64, 16}});
}

TEST_CASE("tiles become the tensor, whose bytes are in order") {
  emit::written_memory memory;
  for (const int y : {2, 0}) {
    const auto tile = layer::part(whole, atom, 0, y, 0, {16, 2, 3});
    CHECK(memory.takes(tile, atom));
    memory.add(tile, atom, counted(tile));
  }
  CHECK(memory.buffer().buffer == 5);
  const auto all = memory.take();
  REQUIRE(all.size() == 1);
  CHECK(all.begin()->first == 32);
  CHECK(all.begin()->second == counted(whole));
  CHECK(memory.take().empty());
}

TEST_CASE("memory that was written takes neither a second time nor another buffer") {
  emit::written_memory memory;
  const auto lower = layer::part(whole, atom, 0, 2, 0, {16, 2, 3});
  memory.add(lower, atom, counted(lower));
  CHECK(!memory.takes(lower, atom));
  CHECK(!memory.takes(layer::part(whole, atom, 0, 1, 0, {8, 2, 3}), atom));
  CHECK(!memory.takes(layer::part(whole, atom, 8, 3, 2, {8, 1, 1}), atom));
  CHECK(memory.takes(layer::part(whole, atom, 8, 1, 0, {8, 1, 3}), atom));
  auto other = layer::part(whole, atom, 0, 0, 0, {16, 2, 3});
  other.at.buffer = 6;
  CHECK(!memory.takes(other, atom));
}
