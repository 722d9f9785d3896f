// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/net/input.hpp>

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

namespace nvdlac {

// Files with inputs of a network, and directories of them: pictures (PGM, PPM, PNG, JPEG, BMP,
// WebP), NumPy, IDX or raw arrays. They are read when they are needed, one after the other. `how`
// tells how pixels become values, where the model does not or another way is meant.
//   pictures("calibration/")                     of a network with one input
//   pictures().of("left", "l/").of("right", "r/")  as many values for each of several
class pictures {
 public:
  struct entry {
    std::string input{};  // empty: that of a network with one
    std::filesystem::path path{};
  };

  pictures() = default;
  explicit pictures(std::filesystem::path path,
                    std::optional<net::preprocessing> preprocessing = {})
      : how(std::move(preprocessing)), entries_{{{}, std::move(path)}} {}

  pictures&& of(std::string input, std::filesystem::path path) && {
    entries_.push_back({std::move(input), std::move(path)});
    return std::move(*this);
  }
  const std::vector<entry>& entries() const { return entries_; }

  std::optional<net::preprocessing> how{};
  data::array_layout layout = data::array_layout::automatic;  // of arrays

 private:
  std::vector<entry> entries_{};
};

}  // namespace nvdlac
