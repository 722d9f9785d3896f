// SPDX-License-Identifier: Apache-2.0
#include "carried_option.hpp"

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "usage.hpp"

namespace nvdlac::cli {

namespace {

// The value of the flag where it is given alone.
const std::string alone = "true";

}  // namespace

CLI::Option* add_carry_states(CLI::App& app, std::string& to, const std::string& what) {
  return app.add_flag("--carry-states", to,
                      what + ". States are the inputs NAME beside an output NAME/next, as --state "
                             "step makes them; others are named, input first: "
                             "--carry-states=h=h_out,c=c_out");
}

std::vector<data::state_names> names_of_states(const std::string& option) {
  if (option == alone) return {};
  try {
    return data::state_names_in(option);
  } catch (const error& e) {
    throw usage_error(std::string("--carry-states: ") + e.what());
  }
}

}  // namespace nvdlac::cli
