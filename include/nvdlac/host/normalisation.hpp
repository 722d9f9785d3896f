// SPDX-License-Identifier: Apache-2.0
#pragma once
// Norms and normalisations that the host computes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
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

  net::shape infer(std::span<const net::shape> in) const {
    const auto along = in[0].size() / reduced(in[0], axes).size();
    const auto needed = per_channel ? static_cast<std::size_t>(in[0].c) : along;
    if (per_channel && axes[0]) throw error("it has factors of channels that it goes over");
    for (const auto* v : {&gamma, &beta})
      if (!v->empty() && v->size() != needed)
        throw error(text("it has ", v->size(), " factors or biases instead of ", needed));
    return in[0];
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    net::float_tensor y = *in[0];
    std::size_t number = 0;
    const std::size_t lines_of_channel = reduced({1, y.shape.h, y.shape.w}, axes).size();
    for_each_line(y.shape, axes, [&](const std::vector<std::size_t>& line) {
      const auto n = static_cast<double>(line.size());
      double mean = 0, variance = 0;
      for (const auto i : line) mean += double{y.values[i]} / n;
      for (const auto i : line) {
        const double d = double{y.values[i]} - mean;
        variance += d * d / n;
      }
      const double e{epsilon};
      const double deviation =
          !divide ? 1 : epsilon_behind_root ? std::sqrt(variance) + e : std::sqrt(variance + e);
      for (std::size_t k = 0; k < line.size(); ++k) {
        const std::size_t at = per_channel ? number / lines_of_channel : k;
        const double factor = gamma.empty() ? 1 : double{gamma[at]};
        const double bias = beta.empty() ? 0 : double{beta[at]};
        float& v = y.values[line[k]];
        v = static_cast<float>((double{v} - mean) / deviation * factor + bias);
      }
      ++number;
    });
    return y;
  }
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
