// SPDX-License-Identifier: Apache-2.0
#pragma once
// The contents of the secondary memory: features and weights, those first that win most cycles for
// their bytes.
#include <cstddef>
#include <cstdint>
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
  cvsram_chooser(const arranger& by_number, decisions d);

  decisions run();

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
  void rank();
  decisions filled(decisions d, bool weights) const;
  // Each buffer in turn goes to the other memory where that is better, until none is.
  void improve(decisions& d, schedule::price& price) const;
  // A buffer came for which there is no room: those that win least for their bytes go, one after
  // the other, and what has room then comes back.
  schedule::price exchanged(decisions& d, std::int32_t came, schedule::price now) const;

  const arranger& by_number_;
  decisions given_, best_;
  schedule::price best_price_{};
  std::vector<std::int32_t> ranking_{};
};

}  // namespace nvdlac::schedule::detail

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/cvsram.ipp>
#endif
