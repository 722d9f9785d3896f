// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <CLI/CLI.hpp>

#include "model_options.hpp"

namespace nvdlac::cli {

// --threads N: how many threads compute a convolution.
inline void add_threads(CLI::App& app, std::uint32_t& threads) {
  app.add_option("--threads", threads, "Compute with so many threads; the results are the same")
      ->check(CLI::Range(1u, 256u))->type_name("N");
}

// --threads N of a command that calibrates before it computes.
inline void add_threads(CLI::App& app, std::uint32_t& threads, model_options& model) {
  app.add_option_function<std::uint32_t>(
         "--threads", [&](const std::uint32_t& n) { threads = model.threads = n; },
         "Compute with so many threads; the results are the same (default: 1, but all processors "
         "for the calibration and --optimize)")
      ->check(CLI::Range(1u, 256u))->type_name("N");
}

// --threads N of a command that calibrates and tries schedules, and does nothing else.
inline void add_threads(CLI::App& app, model_options& model) {
  app.add_option("--threads", model.threads,
                 "Calibrate, and try schedules, with so many threads; the results are the same "
                 "(default: all processors)")
      ->check(CLI::Range(1u, 256u))->type_name("N");
}

}  // namespace nvdlac::cli
