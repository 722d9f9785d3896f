// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/schedule/arrange.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/cvsram.hpp>

namespace nvdlac::schedule::detail {

NVDLAC_IMPL cvsram_chooser::cvsram_chooser(const arranger& by_number, decisions d)
    : by_number_(by_number), given_(std::move(d)), best_(given_) {
  best_.cvsram.clear();
}

NVDLAC_IMPL decisions cvsram_chooser::run() {
  if (by_number_.memory().cvsram.bytes == 0) return std::move(best_);
  best_price_ = price_of(best_);
  rank();
  // From nothing on, from what the whole pool holds of the best ones, features alone or all, and
  // from what is given: two cubes may win together what neither wins alone.
  const auto nothing = best_;
  std::vector<decisions> starts{nothing, filled(nothing, false), filled(nothing, true)};
  if (!given_.cvsram.empty() && fits(price_of(given_))) starts.push_back(given_);
  for (auto& start : starts) {
    auto price = price_of(start);
    improve(start, price);
    if (is_better(price, best_price_)) {
      best_ = std::move(start);
      best_price_ = price;
    }
  }
  return std::move(best_);
}

NVDLAC_IMPL void cvsram_chooser::rank() {
  struct ranked {
    std::int32_t buffer = 0;
    std::uint64_t size = 0, moved = 0, won = 0;
  };
  std::vector<ranked> all;
  for (const auto b : by_number_.movable())
    all.push_back({b, by_number_.size_of(b), by_number_.moved(b), 0});
  const auto by_moved = [](const ranked& a, const ranked& b) {
    const auto of_a = a.moved * b.size, of_b = b.moved * a.size;
    return of_a != of_b ? of_a > of_b : a.buffer < b.buffer;
  };
  std::ranges::sort(all, by_moved);
  if (all.size() > most) all.resize(most);
  for (auto& r : all) {
    auto alone = best_;
    alone.cvsram.insert(r.buffer);
    const auto price = price_of(alone);
    if (fits(price) && price.cycles < best_price_.cycles)
      r.won = best_price_.cycles - price.cycles;
  }
  std::ranges::sort(all, [&](const ranked& a, const ranked& b) {
    const auto of_a = a.won * b.size, of_b = b.won * a.size;
    return of_a != of_b ? of_a > of_b : by_moved(a, b);
  });
  for (const auto& r : all) ranking_.push_back(r.buffer);
}

NVDLAC_IMPL decisions cvsram_chooser::filled(decisions d, bool weights) const {
  for (const auto b : ranking_) {
    if (!weights && by_number_.is_weights(b)) continue;
    d.cvsram.insert(b);
    if (!fits(price_of(d))) d.cvsram.erase(b);
  }
  return d;
}

NVDLAC_IMPL void cvsram_chooser::improve(decisions& d, schedule::price& price) const {
  bool better = true;
  for (int pass = 0; better && pass < most_passes; ++pass) {
    better = false;
    for (const auto b : ranking_) {
      auto other = d;
      if (other.cvsram.erase(b) == 0) other.cvsram.insert(b);
      auto now = price_of(other);
      if (!fits(now)) now = exchanged(other, b, now);
      if (fits(now) && is_better(now, price)) {
        d = std::move(other);
        price = now;
        better = true;
      }
    }
  }
}

NVDLAC_IMPL schedule::price cvsram_chooser::exchanged(decisions& d, std::int32_t came,
                                                      schedule::price now) const {
  const auto limit = by_number_.memory().cvsram.bytes;
  if (by_number_.size_of(came) > limit) return now;
  std::vector<std::int32_t> gone;
  std::uint64_t freed = 0;  // since the last price
  for (auto i = ranking_.size(); i-- > 0 && !fits(now);) {
    const auto b = ranking_[i];
    if (b == came || d.cvsram.erase(b) == 0) continue;
    gone.push_back(b);
    freed += by_number_.size_of(b);
    if (now.cvsram - std::min(now.cvsram, freed) <= limit) {
      now = price_of(d);
      freed = 0;
    }
  }
  for (auto i = gone.size(); fits(now) && i-- > 0;) {
    if (by_number_.size_of(gone[i]) > limit - now.cvsram) continue;
    auto other = d;
    other.cvsram.insert(gone[i]);
    const auto then = price_of(other);
    if (fits(then) && then.cycles <= now.cycles) {
      d = std::move(other);
      now = then;
    }
  }
  return now;
}

}  // namespace nvdlac::schedule::detail
