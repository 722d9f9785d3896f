// SPDX-License-Identifier: Apache-2.0
#pragma once
// The nodes of a file, as far as a cut of its network asks for them.
#include <compare>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::import {

// An output of a node.
struct cut_port {
  std::size_t node = 0, output = 0;
  auto operator<=>(const cut_port&) const = default;
};

// A node of a file, as far as a cut asks for it. Inputs of the network and stored weights are none.
struct cut_node {
  std::string layer{};                 // what problems call it; empty: as its outputs
  std::vector<cut_port> inputs{};
  std::vector<std::string> outputs{};  // what the options --from and --to call them
  std::vector<bool> of_network{};      // by output: whether the network gives it
  bool refused = false;
  bool constant = false;               // it gives the same for all inputs
};

}  // namespace nvdlac::import
