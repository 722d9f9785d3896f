// SPDX-License-Identifier: Apache-2.0
#include "compilation_options.hpp"

#include <CLI/CLI.hpp>

#include "threads.hpp"

namespace nvdlac::cli {

void add_building(CLI::App& app, compilation_options& to) {
  add_scheduling(app, to.model.scheduling);
  add_threads(app, to.model);
  add_prediction(app, to.prediction);
  app.add_option("--batch", to.batch,
                 "Pictures that one run computes, fully connected layers of all at once, "
                 "convolutions of 1x1 too where that is faster, others for several in the batch "
                 "mode of hardware that has one, where that is faster (unless --without "
                 "batch_mode), or one after the other; the inputs and outputs of several are "
                 "called NAME@1, NAME@2, .. (default: 1)")
      ->check(CLI::Range(1, 1024))->type_name("N")->group("How it is computed");
}

}  // namespace nvdlac::cli
