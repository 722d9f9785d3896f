// SPDX-License-Identifier: Apache-2.0
// EXPECT: doubled
// EXPECT: require_integer_form
// MEANS: An operator of your own stays in the graph until it becomes integers, and nothing tells
// MEANS: how it does.
// REMEDY: Specialise `quant::integer_form`, or leave it out of the graph's list and specialise
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
struct nvdlac::quant::integer_form<doubled> {
  static net::integer::scale run(const doubled&, std::span<const scaled_input> in, double out) {
    return quantise_scale(std::array{2.0}, {}, false, in[0].scale, out);
  }
};
#endif

const auto integers = nvdlac::quant::quantise(graph_with<doubled>{}, {});
