// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options of a compilation in the words of the command line.
#include <string>
#include <vector>

#include <nvdlac/compile_options.hpp>

namespace nvdlac {

// "--effort=2" of each option that is not the default and changes the program, sorted. What the
// command line has no word for begins with "own": "own observer".
std::vector<std::string> words_of(const compile_options& options);

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/option_words.ipp>
#endif
