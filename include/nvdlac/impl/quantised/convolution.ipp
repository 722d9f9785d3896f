// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/convolution.hpp>

namespace nvdlac::quantised {

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
