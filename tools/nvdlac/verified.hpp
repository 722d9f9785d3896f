// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/quant/layer_errors.hpp>

#include "comparison.hpp"

namespace nvdlac::cli {

// What inputs say of one program.
struct tally {
  std::vector<comparison> outputs{};
  std::size_t agreed = 0, right = 0, tied = 0, tied_before = 0;

  void add(const tally&);
};

// What one input says.
struct verified {
  std::size_t number = 0;
  std::vector<std::string> row{};  // of the table, if there is one
  bool float_right = false, float_tied = false;
  std::vector<tally> programs{};  // by target
  std::vector<quant::layer_error> layers{};
};

// As bytes for another process; every number stays what it is.
std::string packed(const std::vector<verified>&);
std::vector<verified> unpacked(const std::string&);

}  // namespace nvdlac::cli
