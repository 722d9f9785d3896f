// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

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

}  // namespace nvdlac::host
