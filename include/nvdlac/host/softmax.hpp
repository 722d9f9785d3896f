// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// exp(x) / sum of exp(x) over `axes`, such as the channels at each height and width.
struct softmax {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &softmax::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [](std::span<double> x) {
      std::ranges::copy(net::softmax_of(x.data(), x.size(), 1), x.begin());
    });
  }
};
static_assert(net::operation<softmax>);

// x - log(sum of exp(x) over `axes`).
struct log_softmax {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &log_softmax::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [](std::span<double> x) {
      const double top = std::ranges::max(x);  // taken off first
      double sum = 0;
      for (const double v : x) sum += std::exp(v - top);
      for (double& v : x) v = v - top - std::log(sum);
    });
  }
};
static_assert(net::operation<log_softmax>);

}  // namespace nvdlac::host
