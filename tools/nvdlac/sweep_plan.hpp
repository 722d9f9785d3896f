// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "model_options.hpp"
#include "prediction_options.hpp"
#include "target.hpp"

namespace nvdlac::cli {

// Options that a network and a schedule of a plan give, in the words of `verify`.
struct sweep_options {
  model_options model{};
  prediction_options prediction{};
  std::vector<std::string> inputs{};
  std::string labels{};
  std::size_t first = 0;  // 0: all
};

struct sweep_item {
  std::string network, configuration, precision, schedule;
  sweep_options options{};
};

struct sweep_plan {
  bool simulate = false;
  std::vector<sweep_item> items{};  // networks, then configurations, precisions, schedules

  // Returns the files that it reads, each once.
  std::vector<std::filesystem::path> files() const;
};

// `file` is for messages. Throws nvdlac::error with all that is wrong with the plan; whether an
// item can be done is not asked.
sweep_plan read_sweep_plan(const std::string& text_of_plan, const std::string& file, target_list);

}  // namespace nvdlac::cli
