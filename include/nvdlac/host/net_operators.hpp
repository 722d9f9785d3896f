// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that engines run as well, as calls: for configurations whose engines do not, and for
// what stands between two layers of the host.
#include <concepts>
#include <vector>

#include <nvdlac/host/description.hpp>
#include <nvdlac/host/layer.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/type_list.hpp>

namespace nvdlac::host {

// A function of each element is a layer of its own name, which is no parameter.
inline layer layer_of(net::function f) {
  layer result = layer_of<net::activation>();
  result.name = net::name_of(f);
  result.evaluate = [f](const parameters& p, input_tensors in) {
    auto op = operator_of<net::activation>(p);
    op.function = f;
    return op.evaluate(in);
  };
  return result;
}
inline call call_of(const net::activation& op) {
  auto result = call_of<net::activation>(op);
  std::erase_if(result.parameters, [](const parameter& p) { return p.name == "function"; });
  result.layer = net::name_of(op.function);
  return result;
}
// That of the network goes over the channels.
inline call call_of(const net::softmax&) { return call_of(softmax{}); }

using net_operators =
    type_list<net::relu, net::clip, net::prelu, net::scale, net::batch_norm, net::add,
              net::multiply, net::extremum, net::concat, net::reshape, net::flatten, net::identity,
              net::move, net::pool, net::lrn>;

// Whether an operator of a network can be a call.
template <class Op>
concept callable = contains<Op, net_operators> || std::same_as<Op, net::activation> ||
                   std::same_as<Op, net::softmax>;

}  // namespace nvdlac::host
