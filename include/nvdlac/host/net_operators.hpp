// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that engines run as well, as calls: for configurations whose engines do not, and for
// what stands between two layers of the host.
#include <array>
#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/calls.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/net/standard_operators.hpp>

namespace nvdlac::host {

// A function of each element is a layer of its own name, which is no parameter.
inline net::host_layer layer_of(net::function f) {
  auto result = layer_of<net::activation>();
  result.name = net::name_of(f);
  result.evaluate = [f](const net::host_parameters& p, net::host_layer::tensors in) {
    auto op = operator_of<net::activation>(p);
    op.function = f;
    return op.evaluate(in);
  };
  return result;
}
inline net::on_host on_host(const net::activation& op) {
  static const auto layers = [] {
    std::array<net::host_layer, net::functions.size()> all;
    for (std::size_t f = 0; f < all.size(); ++f) all[f] = layer_of(static_cast<net::function>(f));
    return all;
  }();
  auto call = call_of(op);
  std::erase_if(call.parameters, [](const auto& p) { return p.name == "function"; });
  call.layer = net::name_of(op.function);
  return {std::move(call), &layers[static_cast<std::size_t>(op.function)]};
}
// That of the network goes over the channels.
inline net::on_host on_host(const net::softmax&) { return on_host(softmax{}); }

using net_operators =
    type_list<net::relu, net::clip, net::prelu, net::scale, net::batch_norm, net::add,
              net::multiply, net::extremum, net::concat, net::reshape, net::flatten, net::identity,
              net::move, net::pool, net::lrn>;

// Whether an operator of a network can be a call.
template <class Op>
concept callable = contains<Op, net_operators> || std::same_as<Op, net::activation> ||
                   std::same_as<Op, net::softmax>;

}  // namespace nvdlac::host
