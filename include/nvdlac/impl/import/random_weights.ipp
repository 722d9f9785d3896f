// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import {

NVDLAC_IMPL std::vector<float> noise(const std::vector<std::uint32_t>& seed,
                                     const std::vector<std::int64_t>& shape,
                                     std::string_view what, std::uint64_t most_weights) {
  double middle = 0, reach = 0.1;
  std::int64_t count = 1, taps = 1;
  for (const auto n : shape) count = net::product({count, n});
  for (std::size_t i = 1; i < shape.size(); ++i) taps = net::product({taps, shape[i]});
  if (what == "weights") reach = std::sqrt(6.0 / static_cast<double>(taps));
  if (what == "variance" || what == "factor") {
    middle = 1;
    reach = 0.25;
  }
  if (what == "slopes") middle = 0.2;
  if (what == "moving-average factor") {
    middle = 1;
    reach = 0;
  }
  require_within(&budget::weights, static_cast<std::uint64_t>(count), most_weights);
  std::seed_seq numbers(seed.begin(), seed.end());
  std::mt19937 random(numbers);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values)  // no std distribution, which differ between libraries
    v = static_cast<float>(middle + (static_cast<double>(random()) / 2147483648.0 - 1) * reach);
  return values;
}

}  // namespace nvdlac::import
