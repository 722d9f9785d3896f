// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include <nvdlac/base/in_memory.hpp>

using namespace nvdlac;

static_assert(in_memory(0) == 0);
static_assert(in_memory(std::numeric_limits<std::size_t>::max()) ==
              std::numeric_limits<std::size_t>::max());

TEST_CASE("more than the processor addresses is not in memory") {
  constexpr auto most = std::uint64_t{std::numeric_limits<std::size_t>::max()};
  if (most == std::numeric_limits<std::uint64_t>::max()) return;  // addresses of 64 bits
  CHECK_THROWS_AS(static_cast<void>(in_memory(most + 1)), std::bad_alloc);
}
