// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include <nvdlac/base/edit_distance.hpp>

namespace nvdlac::import {

// The number that stands in place of a name, if it is less than `count`.
std::optional<std::size_t> number_in(const std::string& name, std::size_t count);

using nvdlac::meant_instead_of;
// A further remedy, if there is one, behind another.
inline std::string behind(const std::string& remedy) {
  return remedy.empty() ? remedy : "; " + remedy;
}

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/user_names.ipp>
#endif
