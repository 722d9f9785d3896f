// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::data {

// Numbers with their dimensions, the last one running fastest.
struct array {
  std::vector<std::size_t> dims = {};
  std::vector<float> values = {};

  bool operator==(const array&) const = default;
};

// The order of the dimensions in an array file. `automatic` takes the one that fits the network
// and refuses to choose if both do.
enum class array_layout { automatic, chw, hwc };

// Raw pixels 0..255: rows from the top, channels interleaved (1: grey, 3: red, green, blue).
struct picture {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<std::uint8_t> pixels = {};

  bool operator==(const picture&) const = default;
};

// The places of the largest values, the largest first; of equal ones the first.
inline std::vector<std::size_t> best(const array& a, std::size_t count) {
  std::vector<std::size_t> places(a.values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  count = std::min(count, places.size());
  const auto larger = [&](std::size_t i, std::size_t j) {
    return a.values[i] != a.values[j] ? a.values[i] > a.values[j] : i < j;
  };
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                    places.end(), larger);
  places.resize(count);
  return places;
}

}  // namespace nvdlac::data
