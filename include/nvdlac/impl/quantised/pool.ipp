// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/pool.hpp>

namespace nvdlac::quantised {

template <class T>
net::tensor<T> average::means(const net::tensor<T>& x) const {
  net::tensor<T> y{infer(std::array{x.shape})};
  for (std::int32_t c = 0; c < y.shape.c; ++c)
    for (std::int32_t row = 0; row < y.shape.h; ++row)
      for (std::int32_t column = 0; column < y.shape.w; ++column)
        y.at(c, row, column) =
            finish<T>(sum(x, c, net::pool_span::at(vertical(window), x.shape.h, row),
                          net::pool_span::at(horizontal(window), x.shape.w, column)));
  return y;
}

NVDLAC_IMPL net::int8_tensor average::evaluate(std::span<const net::int8_tensor* const> in) const {
  return means(*in[0]);
}

NVDLAC_IMPL net::int16_tensor average::evaluate(
    std::span<const net::int16_tensor* const> in) const {
  return means(*in[0]);
}

}  // namespace nvdlac::quantised
