// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/softmax.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// exp(x) / sum of exp(x) over `axes`, such as the channels at each height and width.
struct softmax {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view host_name = "softmax";
  static constexpr void fields(auto& op, auto&& io) { io("axes", op.axes); }

  host::axes axes = over_channels;

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    net::float_tensor y = *in[0];
    for_each_line(y.shape, axes, [&](const std::vector<std::size_t>& line) {
      std::vector<float> x;
      for (const auto i : line) x.push_back(y.values[i]);
      const auto p = net::softmax_of(x.data(), x.size(), 1);
      for (std::size_t k = 0; k < line.size(); ++k) y.values[line[k]] = static_cast<float>(p[k]);
    });
    return y;
  }
};
static_assert(net::operation<softmax>);

}  // namespace nvdlac::host
