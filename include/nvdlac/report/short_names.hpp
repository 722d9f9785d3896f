// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names without their middle, where there is little room.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::report {

// "stage4/..conv2" of "stage4/block1/branch2/conv2"
std::string shortened(const std::string& s, std::size_t most);

// Each in at most `most` letters, names that are different in different words: those that are too
// long lose first the parts that the next one repeats, as PyTorch has them ("/features.2/Conv" of
// "/features/features.2/Conv"), and then the part nearest to the middle in which they are alike.
std::vector<std::string> shortened(const std::vector<std::string>& all, std::size_t most);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/short_names.ipp>
#endif
