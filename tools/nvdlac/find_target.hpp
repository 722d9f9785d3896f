// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "target.hpp"

namespace nvdlac::emit {
struct loadable_image;
}  // namespace nvdlac::emit

namespace nvdlac::cli {

// The configuration of this name; an unknown name is a usage_error that lists the known ones.
const target& find_target(target_list, const std::string& name);
std::vector<const target*> find_targets(target_list, const std::vector<std::string>& names);

// That of a loadable in a file: the one that the user names, or else the loadable; a usage_error if
// neither does.
const target& find_target_of(const emit::loadable_image&, const std::string& file,
                             const std::string& named, target_list);

// "nv_small, nv_large"
std::string names_of(target_list);

}  // namespace nvdlac::cli
