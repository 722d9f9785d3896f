// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/operators.hpp>

namespace nvdlac::cli {

// Gives a network in float a name that target.hpp can declare.
struct float_graph {
  net::graph& graph;
};

}  // namespace nvdlac::cli
