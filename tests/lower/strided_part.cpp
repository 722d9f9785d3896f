// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/strided_part.hpp>
#include <nvdlac/net/box.hpp>

using namespace nvdlac;
using lower::part_filled;
using lower::part_taken;

namespace {

// All of a tensor, from `at` on in the result, every so many of its lines.
constexpr net::box into(net::shape s, net::position at, std::int32_t step) {
  return {.to = at,
          .loops = {{{s.c, {1, 0, 0}, {1, 0, 0}},
                     {s.h, {0, step, 0}, {0, 1, 0}},
                     {s.w, {0, 0, 1}, {0, 0, 1}}}}};
}
// The other way round: what a tensor of this shape takes.
constexpr net::box out_of(net::shape s, net::position at, std::int32_t step) {
  net::box b = into(s, at, step);
  std::swap(b.to, b.from);
  for (auto& l : b.loops) std::swap(l.to, l.from);
  return b;
}

constexpr net::shape whole{32, 12, 10}, lines{32, 3, 10};

static_assert(part_filled(into(lines, {0, 1, 0}, 4), lines, whole, 8)->step == 4);
static_assert(part_filled(into({32, 4, 10}, {0, 8, 0}, 1), {32, 4, 10}, whole, 8)->first.y == 8);
static_assert(part_filled(into({8, 12, 4}, {16, 0, 6}, 1), {8, 12, 4}, whole, 8).has_value());
static_assert(part_taken(out_of({5, 3, 4}, {8, 2, 1}, 3), whole, {5, 3, 4}, 8)->step == 3);

}  // namespace

TEST_CASE("a part stands where its elements are in the cube") {
  constexpr bytes atom{8};
  const auto cube = layer::packed(whole, atom);
  const net::shape s{12, 3, 4};
  const auto taken = part_taken(out_of(s, {16, 2, 5}, 3), whole, s, 8);
  REQUIRE(taken.has_value());
  const auto part = taken->of(cube, atom);
  for (std::int32_t c = 0; c < s.c; ++c)
    for (std::int32_t y = 0; y < s.h; ++y)
      for (std::int32_t x = 0; x < s.w; ++x)
        CHECK(part.at.offset + layer::offset_of(part, atom, c, y, x) ==
              layer::offset_of(cube, atom, 16 + c, 2 + 3 * y, 5 + x));
  CHECK(part.at.offset + part.size <= cube.size);
}

TEST_CASE("what strides cannot tell is no part") {
  // It begins inside an atom.
  CHECK_FALSE(part_filled(into(lines, {4, 0, 0}, 1), lines, {40, 12, 10}, 8));
  CHECK_FALSE(part_taken(out_of({8, 12, 10}, {4, 0, 0}, 1), whole, {8, 12, 10}, 8));
  // It ends inside an atom of which another tensor has the rest; at the end nobody has.
  CHECK_FALSE(part_filled(into({4, 12, 10}, {0, 0, 0}, 1), {4, 12, 10}, whole, 8));
  CHECK(part_filled(into({4, 12, 10}, {16, 0, 0}, 1), {4, 12, 10}, {20, 12, 10}, 8));
  // Its columns stand apart, or its lines do in the tensor.
  net::box apart = into({32, 12, 5}, {}, 1);
  apart.loops[2].to.x = 2;
  CHECK_FALSE(part_filled(apart, {32, 12, 5}, whole, 8));
  net::box fewer = into({32, 6, 10}, {}, 1);
  fewer.loops[1].from.y = 2;
  CHECK_FALSE(part_filled(fewer, {32, 12, 10}, {32, 6, 10}, 8));
  // Its lines are in the other order.
  net::box turned = into({32, 12, 10}, {0, 11, 0}, -1);
  CHECK_FALSE(part_filled(turned, {32, 12, 10}, whole, 8));
  // One line is repeated.
  net::box repeated = out_of({32, 12, 10}, {}, 1);
  repeated.loops[1].from = {};
  CHECK_FALSE(part_taken(repeated, {32, 1, 10}, {32, 12, 10}, 8));
  // Lines and columns are exchanged.
  net::box exchanged = into({32, 10, 10}, {}, 1);
  std::swap(exchanged.loops[1].from, exchanged.loops[2].from);
  CHECK_FALSE(part_filled(exchanged, {32, 10, 10}, {32, 10, 10}, 8));
  // It is a part of its input only, or nothing but a number.
  CHECK_FALSE(part_filled(into({16, 3, 10}, {}, 1), lines, whole, 8));
  net::box filled = into(lines, {}, 1);
  filled.input = net::box::filled;
  CHECK_FALSE(part_filled(filled, lines, whole, 8));
  // A vector of several atoms, which may be read as a list of channels.
  CHECK_FALSE(part_taken(out_of({32, 1, 1}, {0, 3, 3}, 1), whole, {32, 1, 1}, 8));
  CHECK(part_taken(out_of({8, 1, 1}, {0, 3, 3}, 1), whole, {8, 1, 1}, 8));
}
