// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nvdlac::cli {

// Returns the options of a compilation that a parsed command was given and on which the bytes of a
// loadable may depend, with their values: "--effort=2", sorted by their names. Options that name
// files are not among them, but for --mean, and neither is --config.
std::vector<std::string> given_options(const CLI::App&);

}  // namespace nvdlac::cli
