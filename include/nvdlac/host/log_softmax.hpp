// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// x - log(sum of exp(x) over `axes`).
struct log_softmax {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view host_name = "log_softmax";
  static constexpr void fields(auto& op, auto&& io) { io("axes", op.axes); }

  host::axes axes = over_channels;

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
