// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

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
    net::float_tensor y = *in[0];
    for_each_line(y.shape, axes, [&](const std::vector<std::size_t>& line) {
      double top = double{y.values[line[0]]}, sum = 0;  // the largest, taken off first
      for (const auto i : line) top = std::max(top, double{y.values[i]});
      for (const auto i : line) sum += std::exp(double{y.values[i]} - top);
      for (const auto i : line)
        y.values[i] = static_cast<float>(double{y.values[i]} - top - std::log(sum));
    });
    return y;
  }
};
static_assert(net::operation<log_softmax>);

}  // namespace nvdlac::host
