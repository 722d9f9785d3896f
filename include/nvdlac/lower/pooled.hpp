// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

// The most columns of the result that one pass of PDP has.
constexpr std::int32_t widest_pass(const net::window& w) {
  return static_cast<std::int32_t>(
      hw::pdp_widest_output(static_cast<std::uint32_t>(w.kernel_h),
                            static_cast<std::uint32_t>(w.stride_h)));
}

// A pooling that takes what SDP makes of a convolution, without memory between them. Its windows
// are those of one kernel and one padding, and see all of `height` lines and `width` columns of the
// convolution's outputs, which are the first.
struct pooled {
  label name{};
  net::pool_kind kind = net::pool_kind::maximum;
  net::window window{};
  std::int16_t pad_value = 0;
  std::int32_t height = 1, width = 1;
};

// The outputs of a convolution whose results, perhaps by a pooling, are `out`.
constexpr net::shape convolved_of(net::shape out, const std::optional<pooled>& pool) {
  return pool ? net::shape{out.c, pool->height, pool->width} : out;
}

}  // namespace nvdlac::lower
