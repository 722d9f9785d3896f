// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/convolution.hpp>

namespace nvdlac::quantised {

namespace detail {

NVDLAC_IMPL std::vector<tap> taps_of(const net::window& w, std::int32_t channels,
                                     std::int32_t start, std::int32_t block) {
  std::vector<tap> taps;
  for (std::int32_t c = 0, end; c < channels; c = end) {
    end = std::min(channels, ((start + c) / block + 1) * block - start);
    for (std::int32_t r = 0; r < w.kernel_h; ++r)
      for (std::int32_t s = 0; s < w.kernel_w; ++s) taps.push_back({c, end - c, r, s});
  }
  return taps;
}

NVDLAC_IMPL std::vector<tap> taps_of_image(const net::window& w, std::int32_t channels,
                                           image_order image, std::int32_t block) {
  const std::int32_t line = w.kernel_w * image.channels;
  if (image.lines > 1 && image.lines > block / line)
    throw error(text("a step of ", image.lines, " lines of ", line,
                     " elements is more than the MACs add at once, ", block));
  std::vector<tap> taps;
  for (std::int32_t begin = 0; begin < line; begin += block)
    for (std::int32_t top = 0; top < w.kernel_h; top += image.lines) {
      const auto before = taps.size();
      for (std::int32_t r = top; r < std::min(top + image.lines, w.kernel_h); ++r)
        for (std::int32_t at = begin, end; at < std::min(begin + block, line); at = end) {
          const std::int32_t column = at / image.channels, c = at % image.channels;
          end = std::min({at - c + image.channels, begin + block, line});
          // Elements in memory beside the channels are 0.
          const std::int32_t count = std::min(channels - c, end - at);
          if (count > 0) taps.push_back({c, count, r, column, false});
        }
      if (taps.size() > before) taps.back().ends_step = true;
    }
  return taps;
}

}  // namespace detail

NVDLAC_IMPL void add_products(std::int64_t& sum, std::span<const std::int16_t> data,
                              std::span<const std::int16_t> weights) {
  for (std::size_t i = 0; i < data.size(); ++i) sum += std::int32_t{data[i]} * weights[i];
}

NVDLAC_IMPL void add_products(arithmetic::fp16_accumulator& sum, std::span<const std::int16_t> data,
                              std::span<const std::int16_t> weights) {
  const auto bits = [](std::span<const std::int16_t> v) {  // unsigned numbers may alias signed ones
    return std::span(reinterpret_cast<const std::uint16_t*>(v.data()), v.size());
  };
  sum.add(arithmetic::quick_sum_of_products(bits(data), bits(weights)));
}

NVDLAC_IMPL void convolution::check(std::span<const net::shape> in, diagnostics& found,
                                    const std::string& layer) const {
  if (wide_weights.empty()) check_values(weights, weight_count(in[0]), "weights", found, layer);
  else check_values(wide_weights, weight_count(in[0]), "weights", found, layer);
  check_values(bias, kernels, "bias", found, layer);
  check_values(multiplier, kernels, "multiplier", found, layer);
  if (slope.size() > 1) check_values(slope, kernels, "slope", found, layer);
}

}  // namespace nvdlac::quantised
