// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/builder.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// Whether Op has a rule; if not, a compile error that names it.
template <class Op>
constexpr bool require_rule() {
  if constexpr (!has_rule<Op>)
    static_assert(never<failed::operator_<Op>>,
                  "nvdlac: the operator has no integer form: specialise quant::rule for it "
                  "(or leave it out of the graph's list and specialise net::expansion)");
  return has_rule<Op>;
}

// The network in integers. `g` is sound (net::verify) and has its shapes; `table` lists its layers.
// Throws, all together: layers without a scale, unusable scales, numbers that the hardware cannot
// represent; crooked_function if all that is wrong are functions that no table holds.
template <class... Ops>
quantised::graph quantise(const net::basic_graph<type_list<Ops...>>& g,
                             const scale_table& table, const options& how = {}) {
  if constexpr ((require_rule<Ops>() && ...))
    return builder<net::basic_graph<type_list<Ops...>>>(g, table, how).run();
  else return {};
}

}  // namespace nvdlac::quant
