// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

// A window that is the same in both dimensions: `.window = square{.kernel = 3, .pad = 1}`.
struct square {
  std::int32_t kernel = 1, stride = 1, pad = 0, dilation = 1;
  static constexpr void fields(auto&& field) {
    field("kernel", &square::kernel);
    field("stride", &square::stride);
    field("pad", &square::pad);
    field("dilation", &square::dilation);
  }

  constexpr operator window() const {
    return {kernel, kernel, stride, stride, pad, pad, pad, pad, dilation, dilation};
  }
};

}  // namespace nvdlac::net
