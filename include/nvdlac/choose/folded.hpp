// SPDX-License-Identifier: Apache-2.0
#pragma once
// The choice of convolutions of few channels that read neighbouring lines as channels.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/options.hpp>

namespace nvdlac::choose {

// Each of the candidates with its lines as they are; folded in all of maker.foldable(c); and in
// those that take fewer cycles so, as maker.cycles_of(c, layers) tells them. A schedule that is
// given has chosen already.
template <class Maker>
std::vector<candidate> with_folded(const std::vector<candidate>& from,
                                   const compile_options& options, const Maker& maker) {
  if (options.schedule || options.without.contains(std::string(lower::fold_lines::name)))
    return from;
  std::vector<candidate> all;
  for (const auto& c : from) {
    all.push_back(c);
    const std::vector<label> foldable = maker.foldable(c);
    if (foldable.empty()) continue;
    auto folded = c;
    folded.lowering.folded = foldable;
    const auto before = maker.cycles_of(c, foldable);
    const auto after = maker.cycles_of(folded, foldable);
    auto some = c;
    for (std::size_t i = 0; i < foldable.size(); ++i)
      if (after[i] < before[i]) some.lowering.folded.push_back(foldable[i]);
    const auto count = some.lowering.folded.size();
    all.push_back(std::move(folded));
    if (count > 0 && count < foldable.size()) all.push_back(std::move(some));
  }
  return all;
}

}  // namespace nvdlac::choose
