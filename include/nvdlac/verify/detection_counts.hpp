// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

#include <nvdlac/base/version.hpp>

namespace nvdlac::verification {

// The detections of a program beside those of the float network.
struct detection_counts {
  std::size_t matched = 0;
  std::size_t missed = 0, extra = 0;      // that the float network alone has, the program alone
  float best_missed = 0, best_extra = 0;  // the greatest score of them
  // The largest differences of the matched ones, of coordinates of corners and of scores, and their
  // least intersection over union.
  float box_error = 0, score_error = 0, overlap = 1;
  bool scored = true;  // whether outputs tell scores and boxes, and not the boxes' numbers alone

  std::size_t expected() const { return matched + missed; }
  void add(const detection_counts& next) {
    matched += next.matched;
    missed += next.missed;
    extra += next.extra;
    best_missed = std::max(best_missed, next.best_missed);
    best_extra = std::max(best_extra, next.best_extra);
    box_error = std::max(box_error, next.box_error);
    score_error = std::max(score_error, next.score_error);
    overlap = std::min(overlap, next.overlap);
    scored = scored && next.scored;
  }
};

}  // namespace nvdlac::verification
