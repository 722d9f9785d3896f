// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL float_tensor pool::evaluate(std::span<const float_tensor* const> in) const {
  const float_tensor& x = *in[0];
  float_tensor y{infer({&x.shape, 1})};
  const net::window w = window_on(x.shape);
  std::vector<pool_span> rows, columns;
  for (std::int32_t i = 0; i < y.shape.h; ++i)
    rows.push_back(pool_span::at(vertical(w), x.shape.h, i));
  for (std::int32_t i = 0; i < y.shape.w; ++i)
    columns.push_back(pool_span::at(horizontal(w), x.shape.w, i));
  const auto run = [&](auto start, auto take, auto finish) {
    float* to = y.values.data();
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (const auto& r : rows)
        for (const auto& s : columns) {
          auto sum = start;
          for (std::int32_t row = r.begin; row < r.end; ++row) {
            const float* const line = x.values.data() + x.shape.at(c, row, 0);
            for (std::int32_t column = s.begin; column < s.end; ++column)
              sum = take(sum, line[column]);
          }
          *to++ = finish(sum, r, s);
        }
  };
  const auto as_it_is = [](float v, pool_span, pool_span) { return v; };
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  switch (kind) {
    case pool_kind::maximum:
      run(lowest, [](float a, float b) { return std::max(a, b); }, as_it_is);
      break;
    case pool_kind::minimum:
      run(-lowest, [](float a, float b) { return std::min(a, b); }, as_it_is);
      break;
    case pool_kind::average:
      run(0.0, [](double sum, float v) { return sum + static_cast<double>(v); },
          [&](double sum, pool_span r, pool_span s) {
            const double counted =
                count_include_pad
                    ? static_cast<double>(r.padded) * s.padded
                    : static_cast<double>(r.end - r.begin) * (s.end - s.begin);
            return static_cast<float>(sum / counted);
          });
  }
  return y;
}

}  // namespace nvdlac::net
