// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <nvdlac/host/minimum_cut.hpp>

using namespace nvdlac;
using host::side;
using host::tensor_users;

namespace {

// Tensors that cross, and operators on the host.
using cost = std::pair<std::size_t, std::size_t>;

cost cost_of(const std::vector<side>& sides, const std::vector<tensor_users>& tensors) {
  cost c{0, static_cast<std::size_t>(std::ranges::count(sides, side::host))};
  for (const auto& users : tensors)
    c.first += std::ranges::any_of(users, [&](auto u) { return sides[u] != sides[users[0]]; });
  return c;
}

// The least cost of all ways to place the operators.
cost least_cost(const std::vector<side>& wish, const std::vector<tensor_users>& tensors) {
  cost least{tensors.size() + 1, 0};
  for (unsigned way = 0; way < 1u << wish.size(); ++way) {
    std::vector<side> sides;
    for (std::size_t i = 0; i < wish.size(); ++i)
      sides.push_back((way >> i & 1u) != 0 ? side::host : side::nvdla);
    bool allowed = true;
    for (std::size_t i = 0; i < wish.size(); ++i)
      allowed = allowed && (wish[i] == side::either || wish[i] == sides[i]);
    if (allowed) least = std::min(least, cost_of(sides, tensors));
  }
  return least;
}

}  // namespace

TEST_CASE("what stands between two layers of the host joins them") {
  using enum side;
  const std::vector<tensor_users> chain{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  CHECK(host::minimum_cut(std::vector{nvdla, host, either, host, nvdla}, chain) ==
        std::vector{nvdla, host, host, host, nvdla});
  CHECK(host::minimum_cut(std::vector{nvdla, either, host, either, nvdla}, chain) ==
        std::vector{nvdla, nvdla, host, nvdla, nvdla});
}

TEST_CASE("a tensor with several readers crosses once") {
  using enum side;
  // 0 gives its tensor to 1, 2 and 3; all of these give theirs to 4, which adds them.
  const std::vector<tensor_users> fan{{0, 1, 2, 3}, {1, 4}, {2, 4}, {3, 4}};
  CHECK(host::minimum_cut(std::vector{nvdla, host, either, either, either}, fan) ==
        std::vector{nvdla, host, host, host, host});
  CHECK(host::minimum_cut(std::vector{nvdla, host, nvdla, either, nvdla}, fan) ==
        std::vector{nvdla, host, nvdla, nvdla, nvdla});
}

TEST_CASE("no placement of random networks has fewer crossings, nor less on the host with them") {
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int round = 0; round < 400; ++round) {
    const std::size_t n = 2 + below(9);
    std::vector<side> wish;
    std::vector<tensor_users> tensors;
    for (std::size_t i = 0; i < n; ++i) {
      const auto kind = below(5);
      wish.push_back(kind == 0 ? side::host : kind == 1 ? side::nvdla : side::either);
      tensor_users users{i};
      for (std::size_t reader = i + 1; reader < n; ++reader)
        if (below(3) == 0) users.push_back(reader);
      if (users.size() > 1) tensors.push_back(std::move(users));
    }
    const auto sides = host::minimum_cut(wish, tensors);
    CAPTURE(round);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(sides[i] != side::either);
      CHECK((wish[i] == side::either || wish[i] == sides[i]));
    }
    CHECK(cost_of(sides, tensors) == least_cost(wish, tensors));
  }
}
