// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

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
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<pool>);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/pool.ipp>
#endif
