// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/report/compilation.hpp>

namespace nvdlac::report::detail {

NVDLAC_IMPL const char* precision_of(const quantised::graph& g) {
  for (quantised::graph::id n = 1; n < g.size(); ++n)
    if (g.precision(n) != g.precision(0)) return "mixed";
  return g.size() == 0 ? "" : hw::name_of(g.precision(0));
}

}  // namespace nvdlac::report::detail
