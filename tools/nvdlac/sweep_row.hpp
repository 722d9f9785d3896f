// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include <nvdlac/base/budget.hpp>

#include "sweep_plan.hpp"

namespace nvdlac::cli {

// The first line of a sweep's table, as a line of CSV without its end.
std::string sweep_head();

// The row of one item, likewise. What is wrong with it stands in the row.
std::string sweep_row(const sweep_item&, bool simulate, const budget& limits, target_list);

// Returns the column `result` of a row: done, failed, defect, or unfinished.
std::string result_in(std::string_view row);
// Whether another run of the item would say the same: not where the memory did not suffice.
bool is_final(std::string_view row);

}  // namespace nvdlac::cli
