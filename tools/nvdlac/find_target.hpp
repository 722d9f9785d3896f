// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "target.hpp"


namespace nvdlac::cli {

// The configuration of this name; an unknown name is a usage_error that lists the known ones.
const target& find_target(target_list, const std::string& name);
std::vector<const target*> find_targets(target_list, const std::vector<std::string>& names);

// "nv_small, nv_large"
std::string names_of(target_list);

}  // namespace nvdlac::cli
