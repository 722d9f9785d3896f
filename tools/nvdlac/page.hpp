// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/report/json_text.hpp>

namespace nvdlac::cli {

// One page of HTML that shows a report, with all that it needs inside: of Chart.js, d3-zoom and
// Graphviz's picture of the data flow (in its language) what is installed. What is not is named on
// the standard error, and in the page.
std::string page_of(report::json report, const std::string& data_flow);

// Likewise, one that shows what `explore` found.
std::string page_of_front(report::json found);

}  // namespace nvdlac::cli
