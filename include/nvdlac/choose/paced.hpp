// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether convolutions have the passes for which they wait less for the memory.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::choose {

// The network as lowering found it; with other passes for the convolutions that have several; and
// with other passes for all, as maker.convolutions(from) tells them and maker.is_possible(c)
// allows. Each for itself they take less time, but layers that read the same data may share them no
// longer. Passes of some of the kernels are for a memory that maker.is_narrow(): with another one
// weights that come beside the pass before are predicted too well (docs/performance.md). A schedule
// that is given has chosen already.
template <class Maker>
std::vector<candidate> with_paced(const candidate& from, const compile_options& options,
                                  const Maker& maker) {
  std::vector<candidate> all{from};
  const bool is_left_out = options.without.contains(std::string(lower::pace_passes::name));
  if (options.schedule || is_left_out) return all;
  const std::vector<plan::split_convolution> cut = maker.convolutions(from);
  for (const bool whole : {false, true}) {
    auto next = from;
    auto& given = next.lowering.passes;
    for (const auto& c : cut)
      if (c.paced && (whole || c.now.rows < c.results.h) &&
          (maker.is_narrow() || c.paced->kernels == 0) &&
          std::ranges::find(given, c.paced->layer, &plan::passes::layer) == given.end())
        given.push_back(*c.paced);
    if (next.lowering != all.back().lowering && maker.is_possible(next))
      all.push_back(std::move(next));
  }
  return all;
}

}  // namespace nvdlac::choose
