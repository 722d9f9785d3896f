// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options that say which NVDLA runs a loadable, where it is not the simulator.
#include <chrono>
#include <string>

#include <CLI/CLI.hpp>

#include <nvdlac/runtime/any_device.hpp>

namespace nvdlac::cli {

struct device_options {
  std::string name{};
  double patience = 10;  // seconds

  // Adds --device and --patience.
  void add(CLI::App&);
  bool given() const { return !name.empty(); }
  std::chrono::milliseconds most_wait() const;
  runtime::any_device open() const;
};

}  // namespace nvdlac::cli
