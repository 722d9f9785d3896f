// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac::import {

// What is wanted of a file, by its own names: a part of its network, and what it leaves open.
struct part {
  std::vector<std::string> from{};  // what these layers give are the inputs; empty: the file's own
  std::vector<std::string> to{};    // what these layers give are the outputs
  std::map<std::string, std::vector<std::int64_t>> shapes{};  // of inputs, as the file has them
  std::optional<float> epsilon{};  // of the batch normalisations of a Darknet network

  // Whether it is the whole network, with all its sizes.
  bool empty() const { return from.empty() && to.empty() && shapes.empty(); }
  bool cuts() const { return !from.empty() || !to.empty(); }
};

// How a user tells the shape of an input: as the file has it, with guesses where it is open.
inline std::string shape_option(const std::string& input, const std::vector<std::int64_t>& shape,
                                std::int64_t guess = 224) {
  std::string s = "--shape " + input + "=";
  for (std::size_t i = 0; i < shape.size(); ++i)
    s += (i == 0 ? "" : ",") + std::to_string(shape[i] > 0 ? shape[i] : i == 0 ? 1 : guess);
  return s;
}

}  // namespace nvdlac::import
