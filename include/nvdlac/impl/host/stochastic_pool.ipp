// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/stochastic_pool.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::float_tensor stochastic_pool::evaluate(
    std::span<const net::float_tensor* const> in) const {
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

}  // namespace nvdlac::host
