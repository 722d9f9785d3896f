// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "model_options.hpp"
#include "prediction_options.hpp"

namespace CLI {
class App;
}

namespace nvdlac::cli {

// Options of what a program is compiled from and for, wherever it goes.
struct compilation_options {
  model_options model{};
  prediction_options prediction{};
  std::optional<int> batch{};
};

// Adds the options that add_model_options does not: schedule, threads, prediction and batch.
void add_building(CLI::App&, compilation_options&);

}  // namespace nvdlac::cli
