// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/report/prediction.hpp>

#include "target.hpp"

namespace CLI {
class App;
}

namespace nvdlac::cli {

// --memory, --cvsram, --programming and --clock: what cycles are predicted for.
struct prediction_options {
  std::vector<std::string> memory{}, cvsram{}, programming{};
  double megahertz = report::conditions{}.megahertz;

  // Returns the conditions, those of the spec where the user says none; throws usage_error.
  report::conditions on(const target&) const;
  // Takes a configuration of numbers instead, whose interface may be narrower than what was given.
  cost::memory memory_on(const hw::spec&) const;
  // The secondary memory that a program may use; of 0 bytes where none is given.
  cost::cvsram cvsram_on(const target&) const;
};

// --memory and --clock.
void add_memory_and_clock(CLI::App&, prediction_options&);
void add_prediction(CLI::App&, prediction_options&);

}  // namespace nvdlac::cli
