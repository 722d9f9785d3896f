// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::import {

// The number that stands in place of a name, if it is less than `count`.
std::optional<std::size_t> number_in(const std::string& name, std::size_t count);

// A hint in place of a name that is none of these: up to three that look like it, or the range of
// their numbers; empty: nothing looks like it.
std::string meant_instead_of(const std::string& name, const std::vector<std::string>& names);
// A further remedy, if there is one, behind another.
inline std::string behind(const std::string& remedy) {
  return remedy.empty() ? remedy : "; " + remedy;
}

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/user_names.ipp>
#endif
