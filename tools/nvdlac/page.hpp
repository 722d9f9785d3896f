// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/report/json.hpp>

namespace nvdlac::cli {

// One page of HTML that shows a report, with all that it needs inside: of Chart.js, d3-zoom and
// Graphviz's pictures of the data flow (in its language) what is installed. What is not, or fails,
// is named on the standard error, and in the page; a picture behind the first one that fails is
// left out.
std::string page_of(report::json report, const std::vector<std::string>& data_flows);

// Likewise, one that shows what `explore` found.
std::string page_of_front(report::json found);

// Likewise, one that shows two loadables beside each other: what `diff --json` tells, and the
// layers of both `sides`.
std::string page_of_diff(report::json found);

// One that shows what `sweep` found: the table's columns and rows as text. It needs no library.
std::string page_of_sweep(const report::json& found);

// A line, after a line's end, for each of these: where it is, or that it is not there.
std::string embedded_in_pages();

}  // namespace nvdlac::cli
