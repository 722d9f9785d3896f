// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/net/input.hpp>

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

  // Adds a file or directory of one of several inputs.
  pictures& of(std::string input, std::filesystem::path path) &;
  pictures of(std::string input, std::filesystem::path path) &&;
  const std::vector<entry>& entries() const { return entries_; }

  std::optional<net::preprocessing> how{};
  data::array_layout layout = data::array_layout::automatic;  // of arrays

 private:
  std::vector<entry> entries_{};
};

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/data/pictures.ipp>
#endif
