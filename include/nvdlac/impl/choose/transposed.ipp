// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/transposed.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/transposed.hpp>

namespace nvdlac::choose {

namespace detail {

// Whether an input is at least twice as high as it is wide, or the reverse.
NVDLAC_IMPL bool has_long_maps(const quantised::graph& g) {
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (const auto* in = g.get_if<quantised::input>(n)) {
      const auto [shorter, longer] = std::minmax({in->shape.h, in->shape.w});
      if (longer >= 2 * shorter) return true;
    }
  return false;
}

}  // namespace detail

NVDLAC_IMPL std::optional<quantised::graph> transposed_of(const quantised::graph& integers,
                                                          const compile_options& options) {
  if (options.schedule) {
    if (!options.schedule->choices.lowering.transposed) return std::nullopt;
    auto g = quantised::transposed(integers);
    if (!g)
      throw error({.file = options.schedule->file,
                   .reason = "transposes the maps of tensors, which is not possible here",
                   .remedy = "make the schedule anew with these options"});
    return g;
  }
  const bool wanted = !options.without.contains(std::string(lower::transpose_maps::name)) &&
                      detail::has_long_maps(integers);
  return wanted ? quantised::transposed(integers) : std::nullopt;
}

NVDLAC_IMPL std::vector<candidate> with_transposed(const candidate& from, bool possible,
                                                   const compile_options& options) {
  std::vector<candidate> all{from};
  if (!possible || options.schedule) return all;
  all.push_back(from);
  all.back().lowering.transposed = true;
  return all;
}

}  // namespace nvdlac::choose
