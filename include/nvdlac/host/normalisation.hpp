// SPDX-License-Identifier: Apache-2.0
#pragma once
// Norms and normalisations that the host computes.
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// x divided by its norm over `axes`: the sum of |x| (p = 1), or the root of epsilon plus the sum of
// x^2 (p = 2). Where the norm is 0, x stays.
struct lp_normalise {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  std::int32_t p = 2;
  float epsilon = 0;
  static constexpr void fields(auto&& field) {
    field("axes", &lp_normalise::axes);
    field("p", &lp_normalise::p);
    field("epsilon", &lp_normalise::epsilon);
  }

  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<lp_normalise>);

// Instance, layer and mean-variance normalisation: over `axes`, x minus its mean, divided by
// sqrt(variance + epsilon), or as Caffe's MVN by sqrt(variance) + epsilon; then gamma * x + beta.
struct mean_variance {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_planes;
  float epsilon = 1e-5F;
  bool epsilon_behind_root = false;
  bool divide = true;  // false: x minus its mean
  // For each element along the axes or, if `per_channel`, for each channel; or empty: 1 and 0.
  std::vector<float> gamma{}, beta{};
  bool per_channel = false;
  static constexpr void fields(auto&& field) {
    field("axes", &mean_variance::axes);
    field("epsilon", &mean_variance::epsilon);
    field("epsilon_behind_root", &mean_variance::epsilon_behind_root);
    field("divide", &mean_variance::divide);
    field("gamma", &mean_variance::gamma);
    field("beta", &mean_variance::beta);
    field("per_channel", &mean_variance::per_channel);
  }

  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<mean_variance>);

// Local response normalisation within a channel:
// y = x / (1 + alpha / local_size^2 * sum over local_size x local_size elements around x of x^2)
// ^ beta; beyond the plane there are zeros.
struct lrn_within_channel {
  static constexpr net::arity inputs{1, 1};

  std::int32_t local_size = 5;
  float alpha = 1, beta = 0.75F;
  static constexpr void fields(auto&& field) {
    field("local_size", &lrn_within_channel::local_size);
    field("alpha", &lrn_within_channel::alpha);
    field("beta", &lrn_within_channel::beta);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (local_size < 1 || local_size % 2 == 0)
      return {net::rule::local_size_is_not_a_positive_odd_number, {local_size}};
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<lrn_within_channel>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/normalisation.ipp>
#endif
