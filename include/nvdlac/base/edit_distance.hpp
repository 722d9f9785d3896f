// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// Letters that are changed, left out or put in between two words: Levenshtein's distance.
std::size_t edit_distance(std::string_view a, std::string_view b);

// A hint in place of a name that is none of these: up to three that look like it, or the range of
// their numbers; empty: nothing looks like it.
std::string meant_instead_of(const std::string& name, const std::vector<std::string>& names);

// That hint or, if nothing looks like it, some of those names.
std::string meant_or_known(const std::string& name, const std::vector<std::string>& names);

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/edit_distance.ipp>
#endif
