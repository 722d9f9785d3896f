// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <nvdlac/emit/any_bus.hpp>

using namespace nvdlac;

namespace {

using words = std::vector<std::array<std::uint32_t, 3>>;

struct writes_only {
  words seen{};
  void write(std::uint32_t address, std::uint32_t value) { seen.push_back({address, value, 0}); }
};
struct waits : writes_only {
  void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value) {
    seen.push_back({address, mask, value});
  }
};

}  // namespace

TEST_CASE("a bus of any kind gets what is written, and waits if it can") {
  writes_only plain;
  const emit::any_bus all(plain);
  all.write(0x1004, 7);
  all.poll(0x300c, 1, 1);
  CHECK(plain.seen == words{{0x1004, 7, 0}});

  waits able;
  const emit::any_bus also(able);
  also.write(0x1004, 7);
  also.poll(0x300c, 3, 2);
  CHECK(able.seen == words{{0x1004, 7, 0}, {0x300c, 3, 2}});
}
