// SPDX-License-Identifier: Apache-2.0
// Tensors in memory, element by element where the layout says.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/layer/pack.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>

using namespace nvdlac;

namespace {

// A cube with gaps between its lines and surfaces.
layer::surface any_cube(std::mt19937& random, bytes atom, hw::precision p) {
  const auto up_to = [&](std::uint32_t n) { return static_cast<std::int32_t>(1 + random() % n); };
  const net::shape shape{up_to(70), up_to(5), up_to(20)};
  auto s = layer::packed(shape, atom, {}, p);
  s.line_stride += static_cast<std::uint32_t>(random() % 3 * atom.n);
  s.surface_stride = s.line_stride * static_cast<std::uint32_t>(shape.h) +
                     static_cast<std::uint32_t>(random() % 3 * atom.n);
  s.size = layer::extent(s, atom);
  if (random() % 3 == 0) s = layer::transposed(s);
  return s;
}

template <class T>
T any_value(std::mt19937& random) {
  const auto bits = static_cast<std::uint16_t>(random());
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
void pack_cubes(bytes atom) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto s = any_cube(random, atom, net::precision_of_type<T>);
    std::vector<T> values(s.shape.size());
    for (auto& v : values) v = any_value<T>(random);
    std::vector<std::uint8_t> memory(static_cast<std::size_t>(s.size), std::uint8_t{0xab}),
        expected = memory;
    for (std::int32_t c = 0; c < s.shape.c; ++c)
      for (std::int32_t y = 0; y < s.shape.h; ++y)
        for (std::int32_t x = 0; x < s.shape.w; ++x)
          std::memcpy(&expected[static_cast<std::size_t>(layer::offset_of(s, atom, c, y, x))],
                      &values[s.shape.at(c, y, x)], sizeof(T));
    const auto lanes = static_cast<std::int32_t>(layer::lanes_of(atom, s.precision));
    for (std::int32_t c = s.shape.c; c % lanes != 0; ++c)
      for (std::int32_t y = 0; y < s.shape.h; ++y)
        for (std::int32_t x = 0; x < s.shape.w; ++x)
          std::memset(&expected[static_cast<std::size_t>(layer::offset_of(s, atom, c, y, x))], 0,
                      sizeof(T));
    layer::pack(values, s, atom, memory);
    CHECK(memory == expected);
    std::vector<T> again(values.size());
    layer::unpack(memory, s, atom, again);
    CHECK(std::ranges::equal(again, values, same<T>));
  }
}

}  // namespace

TEST_CASE("feature cubes have elements at their places and 0 in free lanes, and gaps stay") {
  for (const std::uint64_t atom : {8u, 16u, 32u}) {
    CAPTURE(atom);
    pack_cubes<std::int8_t>({atom});
    pack_cubes<std::int16_t>({atom});
    pack_cubes<net::half>({atom});
  }
}

TEST_CASE("pixels have their channels, and zeros in those that only the cube has") {
  std::mt19937 random(6);
  for (const std::int32_t given : {1, 2, 3, 4})
    for (std::int32_t all = given; all <= 4; ++all) {
      CAPTURE(given);
      CAPTURE(all);
      const auto s = layer::interleaved({all, 5, 7});
      std::vector<std::uint8_t> picture(static_cast<std::size_t>(5 * 7 * given));
      for (auto& v : picture) v = any_value<std::uint8_t>(random);
      std::vector<std::int8_t> values(picture.size());
      std::vector<std::uint8_t> memory(static_cast<std::size_t>(s.size), std::uint8_t{0xab}),
          expected = memory;
      for (std::int32_t y = 0; y < 5; ++y)
        for (std::int32_t x = 0; x < 7; ++x)
          for (std::int32_t c = 0; c < all; ++c) {
            auto& place = expected[static_cast<std::size_t>(layer::offset_of(s, {}, c, y, x))];
            if (c >= given) {
              place = 0;
              continue;
            }
            place = picture[static_cast<std::size_t>((y * 7 + x) * given + c)];
            values[static_cast<std::size_t>((c * 5 + y) * 7 + x)] =
                static_cast<std::int8_t>(place);
          }
      layer::pack_pixels(picture, given, s, memory);
      CHECK(memory == expected);
      std::ranges::fill(memory, std::uint8_t{0xab});
      layer::pack_interleaved(values, given, s, memory);
      CHECK(memory == expected);
      CHECK_THROWS_AS(layer::pack_pixels({picture.data(), 3}, given, s, memory), error);
    }
}
