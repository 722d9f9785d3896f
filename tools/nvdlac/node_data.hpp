// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/report/json.hpp>

namespace nvdlac::cli {

// Node data of a report, which Google's Model Explorer shows on the graph of the model's file: a
// document for each kind with its name: cycles, unit, limit, bytes, scale, became, and of a
// verified network snr. Their form is GraphNodeData of the package model_explorer
// (node_data_builder.py): `results` by the names of nodes, of numbers with a gradient.
//
// What several nodes of the file have become together stands at the first of them, so that numbers
// add up.
inline constexpr std::array<std::string_view, 7> kinds_of_node_data{
    "cycles", "unit", "limit", "bytes", "scale", "became", "snr"};  // snr is the last
std::vector<std::pair<std::string_view, report::json>> node_data_of(const report::json& report);

}  // namespace nvdlac::cli
