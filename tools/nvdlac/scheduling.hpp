// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/schedule/choices.hpp>

#include "target.hpp"

namespace CLI {
class App;
}

namespace nvdlac::cli {

struct scheduling_options {
  std::size_t trials = 0;
  std::string given{};  // a file
};

void add_scheduling(CLI::App&, scheduling_options&);
// The schedule in the file. A usage_error where it is for one of several configurations.
schedule::saved read_schedule(const std::string& file, std::size_t configurations);

class preparation;
class progress_line;

struct scheduled_program {
  plan::program_data program{};
  schedule::saved schedule{};
  schedule::price before{}, now{};  // what the policy chose, or the file, and what was found
};

// Builds the network's program for one configuration under these conditions, of which a search
// judges the register trace or the loadable; the line tells of it. What the policy chose, or the
// file, stays where nothing is found that takes fewer cycles.
scheduled_program build_scheduled(const target&, const preparation&, const report::conditions&,
                                  bool for_traces, progress_line&);
// "200 schedules tried: 114,756 -> 112,202 cycles (2.2 % fewer), ..", or nothing where none were.
std::string search_summary(const scheduled_program&, std::size_t trials);

}  // namespace nvdlac::cli
