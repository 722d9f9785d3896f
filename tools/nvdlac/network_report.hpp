// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/prediction.hpp>

#include "preparation.hpp"
#include "target.hpp"

namespace nvdlac::cli {

// The cycles that no program of the network takes less than, with the memory of the prediction.
cost::lower_bound least_cycles(const preparation&, const target&, const report::prediction&);

// The report that --report writes and --html shows, of a network's program for one configuration.
struct network_report {
  report::json json{};
  // In Graphviz's language: all boxes, and with the groups of each level folded, the inner ones
  // first.
  std::vector<std::string> data_flows{};
};
// `predicted` is of its loadable unless `of` says "trace"; `made_from` is what the loadable's notes
// tell.
network_report report_on(const preparation&, const target&, const plan::program_data&,
                         const report::prediction& predicted, const emit::provenance& made_from,
                         std::string_view of = "loadable");

}  // namespace nvdlac::cli
