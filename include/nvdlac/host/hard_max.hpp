// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// 1 at the largest value over `axes`, at the first of equal ones, and 0 elsewhere.
struct hard_max {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &hard_max::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [](std::span<double> x) {
      const auto best = std::ranges::max_element(x) - x.begin();
      std::ranges::fill(x, 0);
      x[static_cast<std::size_t>(best)] = 1;
    });
  }
};
static_assert(net::operation<hard_max>);

}  // namespace nvdlac::host
