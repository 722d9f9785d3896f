// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/base/threads.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

using namespace nvdlac;

TEST_CASE("all are computed once, by any number of threads") {
  for (const std::size_t threads : {0u, 1u, 3u, 40u}) {
    std::vector<std::atomic<int>> calls(25);
    for_all(calls.size(), threads, [&](std::size_t n) { ++calls[n]; });
    CHECK(std::ranges::all_of(calls, [](const auto& c) { return c == 1; }));
  }
  for_all(0, 2, [](std::size_t) { FAIL("there is nothing to compute"); });
}

TEST_CASE("an exception ends the work and is thrown on") {
  for (const std::size_t threads : {1u, 3u}) {
    std::atomic<std::size_t> calls = 0;
    const auto work = [&](std::size_t n) {
      ++calls;
      if (n == 4) throw std::runtime_error("four");
    };
    CHECK_THROWS_WITH_AS(for_all(1'000'000, threads, work), "four", std::runtime_error);
    CHECK(calls < 1'000'000);
  }
}
