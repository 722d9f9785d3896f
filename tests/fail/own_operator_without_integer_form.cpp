// SPDX-License-Identifier: Apache-2.0
// EXPECT: nvdlac: the operator has no integer form: specialise quant::integer_form for it
// EXPECT: operator_<doubled>
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
