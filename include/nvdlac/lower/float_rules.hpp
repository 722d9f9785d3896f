// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::lower {

// The rules of a configuration for a network in float as values (runs_on.hpp, keep_scales.hpp), so
// that what asks them is compiled once. Rules that a configuration has of its own know its numbers,
// whatever target they are given.
template <class Graph>
struct float_rules {
  using id = typename Graph::id;

  std::vector<problem> (*check)(const target&, const Graph&, const net::layer_precisions&,
                                std::uint64_t most_layers);
  void (*keep_scales)(const target&, Graph&, const net::layer_precisions&);
  bool (*adds_behind)(const target&, const Graph&, id convolution, id sum,
                      const net::layer_precisions&);
};

// The rules that all configurations share, for networks without operators of the user's own.
const float_rules<net::graph>& standard_float_rules();

}  // namespace nvdlac::lower

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/lower/float_rules.ipp>
#endif
