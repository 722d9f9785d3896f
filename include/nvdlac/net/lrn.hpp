// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Local response normalisation across channels:
// y = x / (k + alpha / local_size * sum over local_size channels around c of x^2) ^ beta
struct lrn {
  static constexpr arity inputs{1, 1};

  std::int32_t local_size = 5;
  float alpha = 1e-4F, beta = 0.75F, k = 1.0F;
  static constexpr void fields(auto&& field) {
    field("local_size", &lrn::local_size);
    field("alpha", &lrn::alpha);
    field("beta", &lrn::beta);
    field("k", &lrn::k);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    if (local_size < 1 || local_size % 2 == 0)
      return {rule::local_size_is_not_a_positive_odd_number, {local_size}};
    return in[0];
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    if (!std::isfinite(alpha) || !std::isfinite(beta) || !std::isfinite(k))
      found.add({.layer = layer, .reason = "its alpha, beta or k is not finite"});
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(shapes_of(in))};
    const std::int32_t half = std::min(local_size / 2, x.shape.c);
    for (std::int32_t c = 0; c < x.shape.c; ++c)
      for (std::int32_t row = 0; row < x.shape.h; ++row)
        for (std::int32_t column = 0; column < x.shape.w; ++column) {
          double sum = 0;
          const std::int32_t last = std::min(c + half, x.shape.c - 1);
          for (std::int32_t i = std::max<std::int32_t>(c - half, 0); i <= last; ++i) {
            const auto v = static_cast<double>(x.at(i, row, column));
            sum += v * v;
          }
          const double base =
              static_cast<double>(k) + static_cast<double>(alpha) / local_size * sum;
          const double divisor = std::pow(base, static_cast<double>(beta));
          const auto v = static_cast<double>(x.at(c, row, column));
          y.at(c, row, column) = static_cast<float>(v / divisor);
        }
    return y;
  }
};
static_assert(operation<lrn>);

}  // namespace nvdlac::net
