// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/calls.hpp>
#include <nvdlac/host/hard_max.hpp>
#include <nvdlac/host/log_softmax.hpp>
#include <nvdlac/host/lp_normalise.hpp>
#include <nvdlac/host/lrn_within_channel.hpp>
#include <nvdlac/host/matrix_product.hpp>
#include <nvdlac/host/mean_variance.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/host/stochastic_pool.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/standard_operators.hpp>

namespace nvdlac::host {

// Operators that engines run as well, as calls: for configurations whose engines do not, and for
// what stands between two layers of the host.

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

// The layers that no engine runs on any configuration.
using host_operators = type_list<softmax, log_softmax, arg_max, hard_max, lrn_within_channel,
                                 lp_normalise, matrix_product, mean_variance, stochastic_pool>;

// The layers that the host can compute, by name: nvdlac's own and those that the user adds.
class registry {
 public:
  registry() {
    const auto add_all = [&]<class Op>(std::type_identity<Op>) { add<Op>(); };
    for_each(net_operators{}, add_all);
    for (std::size_t f = 0; f < net::functions.size(); ++f)
      add(layer_of(static_cast<net::function>(f)));
    for_each(host_operators{}, add_all);
  }

  // A name that is taken, or empty, is an `error`.
  void add(net::host_layer l) {
    if (l.name.empty() || !l.infer || !l.evaluate)
      throw error("a layer of the host needs a name, a shape rule and a computation");
    std::string name = l.name;
    if (!layers_.emplace(name, std::move(l)).second)
      throw error(text("the host has a layer '", name, "' already"));
  }
  // The layer of an operator.
  template <net::operation Op>
  void add() { add(layer_of<Op>()); }

  // Null if there is none.
  const net::host_layer* find(std::string_view name) const {
    const auto found = layers_.find(name);
    return found == layers_.end() ? nullptr : &found->second;
  }
  const net::host_layer& get(std::string_view name) const {
    const auto* found = find(name);
    if (found == nullptr)
      throw error(problem{.reason = text("the host has no layer '", name, "'"),
                          .remedy = "add it to the host::registry of whoever runs the program"});
    return *found;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> result;
    for (const auto& [name, ignored] : layers_) result.push_back(name);
    return result;
  }

 private:
  std::map<std::string, net::host_layer, std::less<>> layers_{};
};

// nvdlac's own.
inline const registry& standard() {
  static const registry all;
  return all;
}

}  // namespace nvdlac::host
