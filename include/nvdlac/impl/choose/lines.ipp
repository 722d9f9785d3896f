// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/lines.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::choose {

namespace detail {

// Whether a convolution steps over lines, or over columns, which are lines where maps are
// transposed.
NVDLAC_IMPL bool steps_over_lines(const quantised::graph& g) {
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (const auto* c = g.get_if<quantised::convolution>(n)) {
      const auto& w = c->window;
      if ((w.kernel_h == 1 && w.stride_h > 1) || (w.kernel_w == 1 && w.stride_w > 1)) return true;
    }
  return false;
}

}  // namespace detail

NVDLAC_IMPL std::vector<candidate> with_lines(const candidate& from,
                                              const quantised::graph& integers,
                                              const compile_options& options) {
  std::vector<candidate> all{from};
  if (options.schedule || !detail::steps_over_lines(integers)) return all;
  all.push_back(from);
  all.back().lowering.all_lines = true;
  return all;
}

}  // namespace nvdlac::choose
