// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/deconvolution_phases.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL convolution convolution_of(const deconvolution& d, const deconvolution_phase& p,
                                       shape in) {
  convolution c{.kernels = d.kernels, .window = p.window(in), .groups = d.groups, .bias = d.bias,
                .relu = d.relu};
  const auto planes = static_cast<std::int64_t>(d.kernels) * (in.c / d.groups);
  c.weights.assign(static_cast<std::size_t>(planes * c.window.kernel_h * c.window.kernel_w), 0.0F);
  if (p.empty()) return c;
  std::size_t at = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int32_t r = 0; r < p.rows.taps; ++r)
      for (std::int32_t s = 0; s < p.columns.taps; ++s) {
        const std::int64_t row = p.rows.last_tap - r * p.rows.tap_step;
        const std::int64_t column = p.columns.last_tap - s * p.columns.tap_step;
        c.weights[at++] = d.weights[static_cast<std::size_t>(
            (plane * d.window.kernel_h + row) * d.window.kernel_w + column)];
      }
  return c;
}

}  // namespace nvdlac::net
