// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::import {

// What a file holds: a network, and the scales of its tensors if it is quantised.
struct network {
  net::graph graph{};
  quant::scale_table scales{};  // without entries if the file has none
  std::int64_t batch = 1;       // pictures for which the file was written; the graph is of one
  std::vector<std::filesystem::path> external{};  // further files that hold its data
};

}  // namespace nvdlac::import
