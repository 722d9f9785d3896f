// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that the host can compute, by name.
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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
using host_operators =
    type_list<softmax, log_softmax, arg_max, hard_max, joined_matrix_products, lrn_within_channel,
              lp_normalise, matrix_product, mean_variance, stochastic_pool>;

// The layers that the host can compute, by name: nvdlac's own and those that the user adds.
class registry {
 public:
  registry();

  // A name that is taken, or empty, is an `error`.
  void add(net::host_layer l);
  // The layer of an operator.
  template <net::operation Op>
  void add() { add(layer_of<Op>()); }

  // Null if there is none.
  const net::host_layer* find(std::string_view name) const;
  const net::host_layer& get(std::string_view name) const;
  std::vector<std::string_view> names() const;

 private:
  std::map<std::string, net::host_layer, std::less<>> layers_{};
};

// nvdlac's own.
const registry& standard();

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/registry.ipp>
#endif
