// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/sim/memory.hpp>

using nvdlac::sim::memory;

TEST_CASE("bytes of the caller's are memory of the device") {
  memory ram("dram", 32, 0);  // with no page of its own
  std::vector<std::uint8_t> mine(2 * memory::page_size, 7);
  const std::uint64_t at = 4 * memory::page_size;
  ram.attach(at, mine);
  std::array<std::uint8_t, 4> got{};
  const std::array<std::uint8_t, 4> sent{1, 2, 3, 4};
  const auto across = at + memory::page_size - 2;
  ram.read(across, got);
  CHECK(got == std::array<std::uint8_t, 4>{7, 7, 7, 7});
  ram.write(across, sent);
  CHECK(mine[memory::page_size - 2] == 1);
  CHECK(mine[memory::page_size + 1] == 4);
  mine[0] = 9;
  CHECK(ram.view(at, 1)[0] == 9);

  // Around them nothing can be written, and what is read is 0.
  CHECK_THROWS_AS(ram.write(at - 1, sent), nvdlac::error);
  ram.read(at + 2 * memory::page_size, got);
  CHECK(got == std::array<std::uint8_t, 4>{});
}

TEST_CASE("attached bytes are whole pages that the device reaches, and count to no capacity") {
  memory ram("dram", 32, memory::page_size);
  std::vector<std::uint8_t> mine(memory::page_size), other(memory::page_size);
  CHECK_THROWS_AS(ram.attach(1, mine), nvdlac::error);
  CHECK_THROWS_AS(ram.attach(0, std::span(mine).first(10)), nvdlac::error);
  CHECK_THROWS_AS(ram.attach(std::uint64_t{1} << 32U, mine), nvdlac::error);
  const std::array<std::uint8_t, 1> byte{5};
  ram.attach(0, mine);
  ram.attach(0, other);  // instead
  ram.write(0, byte);
  CHECK(mine[0] == 0);
  CHECK(other[0] == 5);
  ram.write(memory::page_size, byte);  // the one that it may have
  CHECK_THROWS_AS(ram.write(2 * memory::page_size, byte), nvdlac::error);
}
