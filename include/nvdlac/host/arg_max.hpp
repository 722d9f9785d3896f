// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// The place of the largest value over `axes`, counted in the dense order; of equal ones the first,
// or the last.
struct arg_max {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  bool last = false;
  static constexpr void fields(auto&& field) {
    field("axes", &arg_max::axes);
    field("last", &arg_max::last);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const { return reduced(in[0], axes); }
  constexpr std::int64_t counts_to(std::span<const net::shape> in) const {
    return static_cast<std::int64_t>(in[0].size() / reduced(in[0], axes).size()) - 1;
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor& x = *in[0];
    net::float_tensor y{reduced(x.shape, axes)};
    std::size_t next = 0;
    for_each_line(x.shape, axes, [&](const std::vector<std::size_t>& line) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < line.size(); ++i) {
        const float a = x.values[line[i]], b = x.values[line[best]];
        if (a > b || (last && a == b)) best = i;
      }
      y.values[next++] = static_cast<float>(best);
    });
    return y;
  }
};
static_assert(net::operation<arg_max>);

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
