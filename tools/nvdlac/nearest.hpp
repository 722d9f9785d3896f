// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace nvdlac::cli {

// The known word that is most like one that is not known, "calibration" for "calibrate"; of several
// the first, and none, "", where no word is like it.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace nvdlac::cli
