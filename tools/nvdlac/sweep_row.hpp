// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sweep_plan.hpp"

namespace nvdlac::cli {

// The first line of a sweep's table, as a line of CSV without its end.
std::string sweep_head();

// What came of one item, likewise. What is wrong with it stands in the row.
std::string sweep_row(const sweep_item&, bool simulate, target_list);

// What the column `result` of a row says: done, failed, or defect.
std::string result_in(const std::string& row);

}  // namespace nvdlac::cli
