// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// 1 at the largest value over `axes`, at the first of equal ones, and 0 elsewhere.
struct hard_max {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view host_name = "hard_max";
  static constexpr void fields(auto& op, auto&& io) { io("axes", op.axes); }

  host::axes axes = over_channels;

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor& x = *in[0];
    net::float_tensor y{x.shape};
    for_each_line(y.shape, axes, [&](const std::vector<std::size_t>& line) {
      std::size_t best = line[0];
      for (const auto i : line)
        if (x.values[i] > x.values[best]) best = i;
      y.values[best] = 1;
    });
    return y;
  }
};
static_assert(net::operation<hard_max>);

}  // namespace nvdlac::host
