// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <nvdlac/net/fitting.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

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
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor& x = *in[0];
    net::float_tensor y{infer(net::shapes_of(in))};
    const double mean = double{alpha} / (1.0 * local_size * local_size);
    const auto [channels, height, width] = x.shape;
    const auto half = std::min(local_size / 2, std::max(height, width));
    for (std::int32_t c = 0; c < channels; ++c)
      for (std::int32_t row = 0; row < height; ++row)
        for (std::int32_t column = 0; column < width; ++column) {
          double sum = 0;
          for (auto r = std::max(row - half, 0); r <= std::min(row + half, height - 1); ++r)
            for (auto k = std::max(column - half, 0); k <= std::min(column + half, width - 1); ++k)
              sum += double{x.at(c, r, k)} * double{x.at(c, r, k)};
          y.at(c, row, column) = static_cast<float>(double{x.at(c, row, column)} /
                                                    std::pow(1 + mean * sum, double{beta}));
        }
    return y;
  }
};
static_assert(net::operation<lrn_within_channel>);

}  // namespace nvdlac::host
