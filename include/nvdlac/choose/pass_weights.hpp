// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many bytes of weights a pass has.
#include <cstdint>
#include <vector>

#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>

namespace nvdlac::choose {

// All weights of a layer, or parts of the secondary memory where that has no room for the
// program's weights, weights(): some of a layer's may then stand there. A schedule that is given
// has chosen already.
template <class Weights>
std::vector<candidate> with_pass_weights(const candidate& from, const compile_options& options,
                                         const Weights& weights) {
  constexpr std::uint64_t most_passes = 64;  // beyond those of layers
  std::vector<candidate> all{from};
  if (options.schedule) {
    all.back().lowering = options.schedule->choices.lowering;
    return all;
  }
  const auto& beside = options.cvsram;
  if (beside.bytes == 0 || !beside.weights) return all;
  const std::uint64_t bytes = weights();
  if (bytes <= beside.bytes) return all;
  for (const std::uint64_t parts : {4U, 8U, 16U}) {
    const auto size = beside.bytes / parts;
    if (size == 0 || bytes / size > most_passes) break;
    all.push_back(from);
    all.back().lowering.pass_weights = size;
  }
  return all;
}

}  // namespace nvdlac::choose
