// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contents of the secondary memory: features and weights, those first that win most cycles for
// their bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/arrange.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/estimate.hpp>

namespace nvdlac::schedule::detail {

class cvsram_chooser {
 public:
  // The schedule is decided but for its memories; the placement that comes with it is one to begin
  // with.
  cvsram_chooser(const arranger& by_number, decisions d)
      : by_number_(by_number), given_(std::move(d)), best_(given_) {
    best_.cvsram.clear();
  }

  decisions run() {
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
      if (is_better(price, best_price_)) best_ = std::move(start), best_price_ = price;
    }
    return std::move(best_);
  }

 private:
  static constexpr std::size_t most = 256;  // buffers that are tried, the most used ones
  static constexpr int most_passes = 4;     // over all of them

  schedule::price price_of(const decisions& d) const {
    return by_number_.estimate(by_number_.arranged(d), d.beside).price;
  }
  bool fits(const schedule::price& p) const {
    return p.cvsram <= by_number_.memory().cvsram.bytes;
  }
  // The smaller of equal ones.
  static bool is_better(const schedule::price& a, const schedule::price& b) {
    return a.cycles != b.cycles ? a.cycles < b.cycles : a.cvsram < b.cvsram;
  }

  // The buffers that may stand there, by the cycles that each wins alone for its bytes, and then by
  // the bytes that are moved.
  void rank() {
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
  decisions filled(decisions d, bool weights) const {
    for (const auto b : ranking_) {
      if (!weights && by_number_.is_weights(b)) continue;
      d.cvsram.insert(b);
      if (!fits(price_of(d))) d.cvsram.erase(b);
    }
    return d;
  }
  // Each buffer in turn goes to the other memory where that is better, until none is.
  void improve(decisions& d, schedule::price& price) const {
    bool better = true;
    for (int pass = 0; better && pass < most_passes; ++pass) {
      better = false;
      for (const auto b : ranking_) {
        auto other = d;
        if (other.cvsram.erase(b) == 0) other.cvsram.insert(b);
        auto now = price_of(other);
        if (!fits(now)) now = exchanged(other, b, now);
        if (fits(now) && is_better(now, price)) d = std::move(other), price = now, better = true;
      }
    }
  }
  // A buffer came for which there is no room: those that win least for their bytes go, one after
  // the other, and what has room then comes back.
  schedule::price exchanged(decisions& d, std::int32_t came, schedule::price now) const {
    const auto limit = by_number_.memory().cvsram.bytes;
    if (by_number_.size_of(came) > limit) return now;
    std::vector<std::int32_t> gone;
    std::uint64_t freed = 0;  // since the last price
    for (auto i = ranking_.size(); i-- > 0 && !fits(now);) {
      const auto b = ranking_[i];
      if (b == came || d.cvsram.erase(b) == 0) continue;
      gone.push_back(b), freed += by_number_.size_of(b);
      if (now.cvsram - std::min(now.cvsram, freed) <= limit) now = price_of(d), freed = 0;
    }
    for (auto i = gone.size(); fits(now) && i-- > 0;) {
      if (by_number_.size_of(gone[i]) > limit - now.cvsram) continue;
      auto other = d;
      other.cvsram.insert(gone[i]);
      const auto then = price_of(other);
      if (fits(then) && then.cycles <= now.cycles) d = std::move(other), now = then;
    }
    return now;
  }

  const arranger& by_number_;
  decisions given_, best_;
  schedule::price best_price_{};
  std::vector<std::int32_t> ranking_{};
};

}  // namespace nvdlac::schedule::detail
