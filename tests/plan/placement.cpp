// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <random>

#include <nvdlac/plan/placement.hpp>

using namespace nvdlac;

namespace {

// Tenants of which some live long; all of them so for a share of 1.
std::vector<plan::tenant> random_tenants(std::size_t count, double long_lived,
                                         std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<plan::tenant> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = random() % count;
    const bool lasts = static_cast<double>(random() % 1000) < 1000 * long_lived;
    all.push_back({32 * (random() % 50 + 1), first, first + random() % (lasts ? count : 4)});
  }
  return all;
}

// The rule word by word, with every tenant compared with all others.
plan::placement by_comparing_all(const std::vector<plan::tenant>& tenants,
                                 const std::vector<std::size_t>& order) {
  plan::placement result;
  result.offsets.resize(tenants.size(), 0);
  std::multimap<std::uint64_t, std::size_t> placed;
  for (const auto t : order) {
    std::uint64_t free_from = 0, best_gap = ~std::uint64_t{0}, best = 0;
    for (const auto& [at, p] : placed) {
      if (!tenants[p].meets(tenants[t])) continue;
      if (at >= free_from + tenants[t].size && at - free_from < best_gap) {
        best = free_from;
        best_gap = at - free_from;
      }
      free_from = std::max(free_from, at + tenants[p].size);
    }
    if (best_gap == ~std::uint64_t{0}) best = free_from;
    result.offsets[t] = best;
    result.peak = std::max(result.peak, best + tenants[t].size);
    placed.emplace(best, t);
  }
  return result;
}

}  // namespace

TEST_CASE("tenants are placed as by comparing all pairs, however many there are") {
  for (const std::size_t count : {1u, 10u, 63u, 64u, 65u, 500u, 1500u})
    for (const double long_lived : {0.0, 0.05, 1.0}) {
      CAPTURE(count);
      CAPTURE(long_lived);
      const auto tenants = random_tenants(count, long_lived, static_cast<std::uint32_t>(count));
      std::vector<std::size_t> order(count);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), std::mt19937(1));
      const auto expected = by_comparing_all(tenants, order);
      const auto found = plan::detail::place_in_order(tenants, order);
      CHECK(found.offsets == expected.offsets);
      CHECK(found.peak == expected.peak);
    }
}

TEST_CASE("no two tenants that meet overlap") {
  const auto tenants = random_tenants(300, 0.1, 7);
  const auto p = plan::place(tenants);
  CHECK(p.bound <= p.peak);
  for (std::size_t a = 0; a < tenants.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (tenants[a].meets(tenants[b]))
        CHECK((p.offsets[a] + tenants[a].size <= p.offsets[b] ||
               p.offsets[b] + tenants[b].size <= p.offsets[a]));
}
