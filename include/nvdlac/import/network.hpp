// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/preprocessing.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::import {

// What a file holds: a network, and the scales of its tensors if it is quantised.
struct network {
  net::graph graph{};
  quant::scale_table scales{};  // without entries if the file has none
  std::int64_t batch = 1;       // pictures for which the file was written; the graph is of one
  std::vector<std::filesystem::path> external{};  // further files that hold its data
  // How bytes become the values of the inputs, if the file tells: its inputs are quantised, and all
  // alike.
  std::optional<net::preprocessing> preprocessing{};
  std::vector<problem> notes{};  // what is not as the file has it, for the user
  std::filesystem::path file{};
};

// The network alone. Without its scales a quantised model is calibrated anew.
inline net::graph without_scales(network n) { return std::move(n.graph); }

// The network of a file that has no scales, which would be lost: then it is an `error`.
inline net::graph real_graph(network n, const std::string& file) {
  if (!n.scales.entries.empty())
    throw error(problem{
        .file = file,
        .reason = text("the model is quantised: the scales of its ", n.scales.entries.size(),
                       " tensors would be lost"),
        .remedy = "take its network, with the scales, or without_scales(network)"});
  return std::move(n.graph);
}

}  // namespace nvdlac::import
