// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/data/carried_states.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nvdlac::cli {

// Adds --carry-states, whose value is empty if it is not given. `what` says what it does.
CLI::Option* add_carry_states(CLI::App& app, std::string& to, const std::string& what);

// The names that its value tells: none where it is given alone.
std::vector<data::state_names> names_of_states(const std::string& option);

}  // namespace nvdlac::cli
