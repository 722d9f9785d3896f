// SPDX-License-Identifier: Apache-2.0
// EXPECT: doubled
// EXPECT: require_rule
// MEANS: An operator of your own stays in the graph until it becomes integers, and nothing tells
// MEANS: how it does.
// REMEDY: Specialise `quant::rule`, or leave it out of the graph's list and specialise
// REMEDY: `net::expansion`.
#include <array>
#include <span>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/quantise.hpp>

using namespace nvdlac::net;

// The user's own operator: y = 2 * x.
struct doubled {
  static constexpr arity inputs{1, 1};
  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
};

#ifdef FIXED
template <>
struct nvdlac::quant::rule<doubled> : usual_rule {
  static void run(const doubled&, auto& to) { put_scale(to, std::array{2.0}); }
};
#endif

const auto integers = nvdlac::quant::quantise(graph_with<doubled>{}, {});
