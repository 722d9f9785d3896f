// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of each element that become a layer.
#include <string>
#include <utility>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::onnx_format {

// Where x is a part of its node, the function is computed of that part alone, unless it gives
// nothing larger for the rest and the part would take a layer.
template <class Op>
computed apply_function(const context& c, const std::string& layer, Op op, const computed& x) {
  constexpr bool may_see_others = contains<Op, type_list<net::relu, net::clip, net::prelu,
                                                         net::scale, net::identity>>;
  const computed y = may_see_others ? alone_where_free(c, x) : alone(c, x);
  return {c.net.add(layer, std::move(op), {y.node}), y.shape, y.from, y.moved_by};
}

}  // namespace nvdlac::import::onnx_format
