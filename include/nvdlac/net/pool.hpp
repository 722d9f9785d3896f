// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

enum class pool_kind : std::uint8_t { average, maximum, minimum };
constexpr std::string_view name_of(pool_kind k) {
  return std::array{"average", "maximum", "minimum"}[static_cast<std::size_t>(k)];
}

// The shape rule of a pooling, real or integer. Every window holds an element of the input: pads
// are smaller than the kernel, and `ceil` adds no window that starts behind the input.
constexpr fitting fit_pool(const window& w, bool ceil, shape in) {
  if (w.dilation_h != 1 || w.dilation_w != 1) return rule::pooling_with_a_dilation;
  if (w.kernel_h < 1 || w.kernel_w < 1) return rule::window_with_a_number_below_1;
  if (std::max(w.pad_top, w.pad_bottom) >= w.kernel_h ||
      std::max(w.pad_left, w.pad_right) >= w.kernel_w)
    return rule::pooling_with_a_padding_not_smaller_than_its_window;
  return fit_window(w, in, in.c, ceil);
}

// The elements [begin, end) of one dimension that lie in a pooling's window number `position`, and
// how many elements the window has once it is clipped to the padded input.
struct pool_span {
  std::int32_t begin, end, padded;

  static constexpr pool_span at(sliding s, std::int32_t size, std::int32_t position) {
    const std::int64_t start = position * s.stride - s.before, stop = start + s.kernel;
    return {static_cast<std::int32_t>(std::max<std::int64_t>(start, 0)),
            static_cast<std::int32_t>(std::min<std::int64_t>(stop, size)),
            static_cast<std::int32_t>(std::min<std::int64_t>(stop, size + s.after) - start)};
  }
};

// The maximum, the minimum or the mean of each window. Windows may hang over the bottom and right
// padding when `ceil` rounds the output size up; what hangs over the padding is never counted.
struct pool {
  static constexpr arity inputs{1, 1};

  pool_kind kind = pool_kind::maximum;
  net::window window{};            // dilation is 1
  bool ceil = false;               // output size rounds up, see sliding::positions
  bool count_include_pad = false;  // average: padding counts as zeros of the window
  bool global = false;             // one window covers all; `window` is not used
  bool keeps_scale = false;        // average: in integers at the scale of its input, as by PDP
  static constexpr void fields(auto&& field) {
    field("kind", &pool::kind);
    field("window", &pool::window);
    field("ceil", &pool::ceil);
    field("count_include_pad", &pool::count_include_pad);
    field("global", &pool::global);
    field("keeps_scale", &pool::keeps_scale);
  }

  // The window that slides over this input.
  constexpr net::window window_on(shape in) const {
    return global ? net::window{.kernel_h = in.h, .kernel_w = in.w} : window;
  }
  constexpr fitting fit(std::span<const shape> in) const {
    return global ? fit_shape(in[0].c, 1, 1) : fit_pool(window, ceil, in[0]);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    float_tensor y{infer(std::array{x.shape})};
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
};
static_assert(operation<pool>);

}  // namespace nvdlac::net
