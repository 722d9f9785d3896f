// SPDX-License-Identifier: Apache-2.0
#pragma once
// Places in memory for what needs them at the same time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <nvdlac/base/constexpr_vector.hpp>

namespace nvdlac::plan {

// Something that needs memory from one step to another, both included.
struct tenant {
  std::uint64_t size = 0;  // bytes, a multiple of the alignment
  std::size_t first = 0, last = 0;

  constexpr bool meets(const tenant& o) const { return first <= o.last && o.first <= last; }
};

struct placement {
  std::vector<std::uint64_t> offsets{};  // of each tenant
  std::uint64_t peak = 0;                // bytes that the placement takes
  std::uint64_t bound = 0;               // most bytes alive at one step: no placement takes less
};

namespace detail {

// The tenants that have a place, found by the time of their lives: in a long program most live
// briefly, and meet few others.
class placed_tenants {
 public:
  constexpr explicit placed_tenants(const std::vector<tenant>& all) : all_(all) {
    if (all.size() < period) return;
    std::size_t last = 0;
    for (const auto& t : all) last = std::max(last, t.last);
    periods_.resize(last / period + 1);
  }

  constexpr void add(std::size_t t, const std::vector<std::uint64_t>& offsets) {
    insert(everyone_, t, offsets);
    if (periods_.empty()) return;
    if (!is_brief(t)) return insert(lasting_, t, offsets);
    for (auto p = all_[t].first / period; p <= all_[t].last / period; ++p)
      insert(periods_[p], t, offsets);
  }
  // By offset, those that may meet t, some of them twice; until the next call.
  constexpr const std::vector<std::size_t>& around(std::size_t t,
                                                   const std::vector<std::uint64_t>& offsets) {
    if (periods_.empty() || !is_brief(t)) return everyone_;
    around_ = lasting_;
    for (auto p = all_[t].first / period; p <= all_[t].last / period; ++p)
      around_.insert(around_.end(), periods_[p].begin(), periods_[p].end());
    std::sort(around_.begin(), around_.end(),
              [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; });
    return around_;
  }

 private:
  static constexpr std::size_t period = 64;  // steps

  constexpr bool is_brief(std::size_t t) const {
    return all_[t].last / period <= all_[t].first / period + 1;
  }
  static constexpr void insert(std::vector<std::size_t>& to, std::size_t t,
                               const std::vector<std::uint64_t>& offsets) {
    to.insert(std::upper_bound(to.begin(), to.end(), offsets[t],
                               [&](std::uint64_t offset, std::size_t p) {
                                 return offset < offsets[p];
                               }),
              t);
  }

  const std::vector<tenant>& all_;
  std::vector<std::size_t> everyone_{}, lasting_{}, around_{};
  std::vector<std::vector<std::size_t>> periods_{};  // those that live briefly; none if all are few
};

// Puts the tenants in the given order, each into the smallest gap that it fits.
constexpr placement place_in_order(const std::vector<tenant>& tenants,
                                   const std::vector<std::size_t>& order) {
  placement result;
  result.offsets.resize(tenants.size(), std::uint64_t{0});
  placed_tenants placed(tenants);
  for (const auto t : order) {
    std::uint64_t free_from = 0, best = 0, best_gap = std::numeric_limits<std::uint64_t>::max();
    for (const auto p : placed.around(t, result.offsets)) {
      if (!tenants[p].meets(tenants[t])) continue;
      const auto at = result.offsets[p];
      if (at >= free_from + tenants[t].size && at - free_from < best_gap) {
        best = free_from;
        best_gap = at - free_from;
      }
      free_from = std::max(free_from, at + tenants[p].size);
    }
    const auto at = best_gap == std::numeric_limits<std::uint64_t>::max() ? free_from : best;
    result.offsets[t] = at;
    result.peak = std::max(result.peak, at + tenants[t].size);
    placed.add(t, result.offsets);
  }
  return result;
}

// Places in the given order, then again and again after the tenant that sticks out has moved half
// its way to the front; the best of all that.
constexpr placement place_and_improve(const std::vector<tenant>& tenants,
                                      std::vector<std::size_t> order, std::uint64_t bound) {
  constexpr int tries = 100;
  auto best = place_in_order(tenants, order);
  auto last = best;
  for (int i = 0; i < tries && best.peak > bound; ++i) {
    const auto highest = std::find_if(order.begin(), order.end(), [&](std::size_t t) {
      return last.offsets[t] + tenants[t].size == last.peak;
    });
    if (highest == order.begin()) break;
    std::rotate(order.begin() + (highest - order.begin()) / 2, highest, highest + 1);
    last = place_in_order(tenants, order);
    if (last.peak < best.peak) best = last;
  }
  return best;
}

}  // namespace detail

// Places tenants so that no two that meet overlap. Several orders are tried and improved, and the
// lowest peak wins, the first at a tie; it stops as soon as one reaches the bound.
constexpr placement place(const std::vector<tenant>& tenants) {
  std::size_t steps = 0;
  for (const auto& t : tenants) steps = std::max(steps, t.last + 1);
  std::vector<std::uint64_t> alive(steps + 1, std::uint64_t{0});
  for (const auto& t : tenants)
    for (std::size_t s = t.first; s <= t.last; ++s) alive[s] += t.size;
  const auto bound = *std::max_element(alive.begin(), alive.end());

  const auto by = [&](auto key) {
    std::vector<std::size_t> order(tenants.size(), std::size_t{0});
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto of_a = key(tenants[a]), of_b = key(tenants[b]);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    return order;
  };
  const auto pressure = [&](const tenant& t) {
    return *std::max_element(alive.begin() + static_cast<std::ptrdiff_t>(t.first),
                             alive.begin() + static_cast<std::ptrdiff_t>(t.last) + 1);
  };
  placement best;
  best.peak = std::numeric_limits<std::uint64_t>::max();
  const auto try_by = [&](auto key) {
    if (best.peak == bound) return;
    auto candidate = detail::place_and_improve(tenants, by(key), bound);
    if (candidate.peak < best.peak) best = std::move(candidate);
  };
  try_by([](const tenant& t) { return t.size; });
  try_by([](const tenant& t) { return t.size * (t.last - t.first + 1); });
  try_by([](const tenant& t) { return t.last - t.first; });
  try_by([&](const tenant& t) { return std::pair(pressure(t), t.size); });
  try_by([&](const tenant& t) { return std::pair(pressure(t), t.last - t.first); });
  try_by([&](const tenant& t) { return steps - t.first; });
  best.bound = bound;
  return best;
}

}  // namespace nvdlac::plan
