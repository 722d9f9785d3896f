// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
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
  bool turned = false;  // from how the file has its pixels, as its EXIF orientation says

  bool operator==(const picture&) const = default;
};

// The places of the largest values, the largest first; of equal ones the first. A NaN is behind
// all numbers.
std::vector<std::size_t> best(const array& a, std::size_t count);

}  // namespace nvdlac::data

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/array.ipp>
#endif
