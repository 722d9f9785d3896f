// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// Letters that are changed, left out or put in between two words: Levenshtein's distance.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/edit_distance.ipp>
#endif
