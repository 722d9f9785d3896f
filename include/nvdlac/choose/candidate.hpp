// SPDX-License-Identifier: Apache-2.0
#pragma once
// Candidates for one program, and the search among them: each search is a function that lists
// candidates, and `best` takes the cheapest.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/plan/lowering_choices.hpp>

namespace nvdlac::choose {

// The forms in which the layers of a network can be made, before a schedule orders them.
struct candidate {
  std::vector<lower::sibling> siblings{};
  lower::batch_of batch{};
  plan::lowering_choices lowering{};

  bool operator==(const candidate&) const = default;
};

// The first of the candidates with the least price(candidate); a single one is not priced.
template <class Candidate, class Price>
Candidate best(std::vector<Candidate> candidates, const Price& price) {
  std::size_t found = 0;
  if (candidates.size() > 1) {
    auto least = price(candidates[0]);
    for (std::size_t i = 1; i < candidates.size(); ++i)
      if (auto now = price(candidates[i]); now < least) {
        least = std::move(now);
        found = i;
      }
  }
  return std::move(candidates.at(found));
}

// Makes each choice in turn, with those before it as they were made: every step lists candidates
// that differ from the one before in a single choice.
template <class Price, class... Steps>
candidate one_by_one(candidate from, const Price& price, const Steps&... steps) {
  ((from = best(steps(std::move(from)), price)), ...);
  return from;
}

}  // namespace nvdlac::choose
