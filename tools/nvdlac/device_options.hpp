// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options that say which NVDLA runs a loadable, where it is not the simulator.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/any_session.hpp>

#include "target.hpp"

namespace nvdlac::cli {

struct device_options {
  std::string name{};
  double patience = 10;  // seconds

  // Adds --device and --patience.
  void add(CLI::App&);
  bool given() const { return !name.empty(); }
  runtime::any_device open() const;
  // The program on the device. A signal that ends the command waits for the end of a run.
  std::unique_ptr<runtime::any_session> run_on(const target&, const emit::loadable_image&,
                                               runtime::any_device) const;
  std::unique_ptr<runtime::any_session> run_on(const target& t,
                                               const emit::loadable_image& image) const {
    return run_on(t, image, open());
  }
};

}  // namespace nvdlac::cli
