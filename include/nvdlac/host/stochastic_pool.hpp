// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// Stochastic pooling as Caffe infers with it: the mean of each window in which every value weighs
// as much as itself, sum(x^2) / sum(x); 0 where sum(x) is not above 0. Windows are not padded; the
// number of their positions is rounded up if `ceil`.
struct stochastic_pool {
  static constexpr net::arity inputs{1, 1};

  net::window window{};
  bool ceil = true, global = false;
  static constexpr void fields(auto&& field) {
    field("window", &stochastic_pool::window);
    field("ceil", &stochastic_pool::ceil);
    field("global", &stochastic_pool::global);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const {
    return net::pool{.window = window, .ceil = ceil, .global = global}.infer(in);
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<stochastic_pool>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/stochastic_pool.ipp>
#endif
