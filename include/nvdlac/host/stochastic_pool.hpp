// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// Stochastic pooling as Caffe infers with it: the mean of each window in which every value weighs
// as much as itself, sum(x^2) / sum(x); 0 where sum(x) is not above 0. Windows are not padded; the
// number of their positions is rounded up if `ceil`.
struct stochastic_pool {
  static constexpr net::arity inputs{1, 1};

  net::window window{};
  bool ceil = true, global = false;
  static constexpr void fields(auto&& field) {
    field("window", &stochastic_pool::window);
    field("ceil", &stochastic_pool::ceil);
    field("global", &stochastic_pool::global);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const {
    return net::pool{.window = window, .ceil = ceil, .global = global}.infer(in);
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor& x = *in[0];
    net::float_tensor y{infer(net::shapes_of(in))};
    const net::window w = net::pool{.window = window, .global = global}.window_on(x.shape);
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t row = 0; row < y.shape.h; ++row)
        for (std::int32_t column = 0; column < y.shape.w; ++column) {
          double sum = 0, squares = 0;
          const auto top = row * w.stride_h, left = column * w.stride_w;
          for (auto r = top; r < std::min(top + w.kernel_h, x.shape.h); ++r)
            for (auto k = left; k < std::min(left + w.kernel_w, x.shape.w); ++k) {
              const double v{x.at(c, r, k)};
              sum += v;
              squares += v * v;
            }
          y.at(c, row, column) = sum > 0 ? static_cast<float>(squares / sum) : 0.0F;
        }
    return y;
  }
};
static_assert(net::operation<stochastic_pool>);

}  // namespace nvdlac::host
