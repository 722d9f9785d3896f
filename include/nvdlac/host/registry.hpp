// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that the host can compute, by name.
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/matrix_product.hpp>
#include <nvdlac/host/normalisation.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/host/stochastic_pool.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::host {

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
