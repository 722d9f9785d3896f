// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>

namespace nvdlac::data {

NVDLAC_IMPL std::vector<std::size_t> best(const array& a, std::size_t count) {
  std::vector<std::size_t> places(a.values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  count = std::min(count, places.size());
  const auto larger = [&](std::size_t i, std::size_t j) {
    const float x = a.values[i], y = a.values[j];
    if (std::isnan(x) != std::isnan(y)) return std::isnan(y);
    return x < y || x > y ? x > y : i < j;
  };
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                    places.end(), larger);
  places.resize(count);
  return places;
}

}  // namespace nvdlac::data
