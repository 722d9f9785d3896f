// SPDX-License-Identifier: Apache-2.0
#pragma once
// A network on a range of configurations, as `nvdlac explore` predicts it.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "product.hpp"

namespace nvdlac::python {

// Values of members of hw::spec, by their names.
using member_ranges = std::vector<std::pair<std::string, std::vector<std::uint32_t>>>;

// JSON: all legal combinations that run the network, and which of them no other one beats.
std::string explore(const model&, cli::compilation_options, const cli::target& start,
                    const member_ranges&, const cli::progress_watcher&);

}  // namespace nvdlac::python
