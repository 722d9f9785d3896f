// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

enum class pool_kind : std::uint8_t { average, maximum };

// The maximum or the mean of each window. Windows may hang over the bottom and right padding when
// `ceil` rounds the output size up; what hangs over the padding is never counted.
struct pool {
  pool_kind kind = pool_kind::maximum;
  net::window window{};            // dilation is 1
  bool ceil = false;               // output size rounds up (a window starts inside the padded input)
  bool count_include_pad = false;  // average: padding counts as zeros of the window
  bool global = false;             // one window covers all; `window` is not used
};

}  // namespace nvdlac::net
