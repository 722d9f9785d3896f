// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that are cut off, and files of which some bits are others.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/verify.hpp>

// A damaged file either gives a sound network or an error of ours; other exceptions fail the test.
struct tally {
  int read = 0, refused = 0;

  void attempt(const std::function<nvdlac::net::graph()>& action) {
    try {
      const auto g = action();
      ++read;
      if (const auto problems = nvdlac::net::verify(g); !problems.empty())
        FAIL_CHECK("an unsound network: " << to_string(problems.front()));
    } catch (const nvdlac::error& e) {
      ++refused;
      CHECK(!e.problems().empty());
    }
  }
};

struct damages {
  int flips = 2000, truncations = 200;
};
inline void damage(const std::string& name, const std::string& content, std::uint32_t seed,
                   const std::function<nvdlac::net::graph(const std::string&)>& read,
                   damages how = {}) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto start = std::chrono::steady_clock::now();
  tally found;
  for (int i = 0; i < how.truncations; ++i) {
    const auto part = static_cast<double>(i) / how.truncations;
    const auto damaged = content.substr(
        0, static_cast<std::size_t>(part * static_cast<double>(content.size())));
    found.attempt([&] { return read(damaged); });
  }
  for (int i = 0; i < how.flips; ++i) {
    auto damaged = content;
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      auto& c = damaged[below(damaged.size())];
      c = static_cast<char>(c ^ (1 << below(8)));
    }
    found.attempt([&] { return read(damaged); });
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  MESSAGE(name << " (" << content.size() << " bytes): " << found.read << " read, " << found.refused
               << " refused in " << time.count() << " s");
  CHECK(found.read + found.refused == how.truncations + how.flips);
}
