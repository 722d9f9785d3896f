// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>

namespace nvdlac::import {

// Options for the reading of a file, by its own names: a part of its network, and what it leaves
// open; and what it may cost.
struct part {
  std::vector<std::string> from{};  // what these layers give are the inputs; empty: the file's own
  std::vector<std::string> to{};    // what these layers give are the outputs
  std::map<std::string, std::vector<std::int64_t>> shapes{};  // of inputs, as the file has them
  std::optional<float> epsilon{};  // of the batch normalisations of a Darknet network
  bool states = false;  // those of recurrent layers are inputs, and outputs for the next run
  budget limits{};

  // Whether it is the whole network, with all its sizes.
  bool empty() const { return from.empty() && to.empty() && shapes.empty(); }
  bool cuts() const { return !from.empty() || !to.empty(); }
};

// How a user tells the shape of an input: as the file has it, with guesses where it is open.
std::string shape_option(const std::string& input, const std::vector<std::int64_t>& shape,
                         std::int64_t guess = 224);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/part.ipp>
#endif
