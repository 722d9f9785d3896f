// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

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

  net::shape infer(std::span<const net::shape> in) const {
    if (p != 1 && p != 2)
      throw error(text("the norm of p = ", p, " is not supported, 1 and 2 are"));
    return in[0];
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [this](std::span<double> x) {
      double sum = p == 2 ? double{epsilon} : 0;
      for (const double v : x) sum += p == 2 ? v * v : std::fabs(v);
      const double norm = p == 2 ? std::sqrt(sum) : sum;
      if (norm > 0)
        for (double& v : x) v /= norm;
    });
  }
};
static_assert(net::operation<lp_normalise>);

}  // namespace nvdlac::host
