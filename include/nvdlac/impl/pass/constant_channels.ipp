// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/pass/constant_channels.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL split_by_constants split_constants(const net::convolution& c, net::shape in,
                                               std::span<const joined_channels> parts) {
  const std::size_t taps = static_cast<std::size_t>(c.window.kernel_h) *
                           static_cast<std::size_t>(c.window.kernel_w);
  split_by_constants split{.rest = {.kernels = c.kernels, .window = c.window, .bias = c.bias}};
  net::convolution of_constants{.kernels = c.kernels, .window = c.window};
  net::float_tensor constants{{0, in.h, in.w}};
  for (const auto& p : parts) {
    if (p.value == nullptr) continue;
    constants.shape.c += p.channels;
    constants.values.insert(constants.values.end(), p.value->values.begin(),
                            p.value->values.end());
  }
  auto from = c.weights.begin();
  for (std::int32_t k = 0; k < c.kernels; ++k)
    for (const auto& p : parts) {
      auto& to = p.value == nullptr ? split.rest.weights : of_constants.weights;
      const auto end = from + p.channels * static_cast<std::ptrdiff_t>(taps);
      to.insert(to.end(), from, end);
      from = end;
    }
  const std::array<const net::float_tensor*, 1> read{&constants};
  split.sums = of_constants.evaluate(read);
  return split;
}

}  // namespace nvdlac::pass
