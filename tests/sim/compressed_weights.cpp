// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <random>

#include <nvdlac/sim/conv/cdma_pipeline.hpp>

using namespace nvdlac;

namespace {

constexpr std::array<std::uint8_t, 3> mask{0b10110001, 0xff, 0b00000110};
static_assert(sim::count_ones(mask, 0, 8) == 4 && sim::count_ones(mask, 0, 24) == 14);
static_assert(sim::count_ones(mask, 1, 7) == 3 && sim::count_ones(mask, 7, 10) == 9);
static_assert(sim::count_ones(mask, 16, 3) == 2 && sim::count_ones(mask, 5, 0) == 0);

// The mask's lowest bit is that of the first element.
constexpr bool decompresses() {
  const std::array<std::uint8_t, 8> packed{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint8_t> out;
  sim::decompress_weights(packed, mask, 8, 1, out);
  if (out != std::vector<std::uint8_t>{1, 0, 0, 0, 2, 3, 0, 4}) return false;
  sim::decompress_weights(packed, mask, 7, 2, out);
  return out == std::vector<std::uint8_t>{1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0};
}
static_assert(decompresses());

}  // namespace

TEST_CASE("what is decompressed is what was compressed") {
  std::mt19937 random(11);
  for (std::size_t round = 0; round < 50; ++round) {
    const std::size_t bytes = 1 + round % 2, elements = 1 + random() % 3000;
    std::vector<std::uint8_t> plain(elements * bytes), packed, bits((elements + 7) / 8), out;
    for (std::size_t i = 0; i < elements; ++i) {
      if (random() % 3 != 0) continue;
      bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1 << i % 8);
      for (std::size_t b = 0; b < bytes; ++b)
        packed.push_back(plain[i * bytes + b] = static_cast<std::uint8_t>(random()));
    }
    sim::decompress_weights(packed, bits, elements, static_cast<std::uint32_t>(bytes), out);
    REQUIRE(out == plain);
    REQUIRE(sim::count_ones(bits, 0, elements) * bytes == packed.size());
  }
}

TEST_CASE("the sizes of kernel groups must be those of the mask") {
  const std::vector<std::uint32_t> right{18, 10}, wrong{18, 12};
  CHECK_NOTHROW(sim::check_groups(right, mask, 24, 13, 2));
  CHECK_THROWS_WITH_AS(sim::check_groups(wrong, mask, 24, 13, 2),
                       doctest::Contains("kernel group 1 is 12 bytes"), error);
}
