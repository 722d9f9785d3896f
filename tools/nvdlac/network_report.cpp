// SPDX-License-Identifier: Apache-2.0
#include "network_report.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/report/compilation.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/distributions.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/lineage.hpp>
#include <nvdlac/report/loaded_data_flow.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/provenance.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

// Tells what became of each layer of the file, and of which of them each hardware layer is made.
void tell_lineage(json& report, const report::lineage& from, const plan::program_data& p) {
  std::map<std::string, std::vector<std::size_t>, std::less<>> made_of;
  for (std::size_t i = 0; i < report["layers"].size(); ++i) {
    report["layers"][i]["nodes"] = json::array();
    made_of[report["layers"][i]["layer"].get<std::string>()].push_back(i);
  }
  auto& nodes = report["nodes"] = json::array();
  for (const auto& l : from.layers()) {
    const auto found = made_of.find(l.now);
    json node{{"name", l.name}, {"operator", l.kind}, {"became", "gone"},
              {"layers", json::array()}};
    if (found != made_of.end()) {
      const auto& first = report["layers"][found->second.front()];
      node["became"] = p.tasks.at(first["task"].get<std::size_t>()).host ? "host" : "hardware";
      node["layers"] = found->second;
      for (const auto i : found->second) report["layers"][i]["nodes"].push_back(l.name);
    } else if (!l.now.empty()) {
      node["became"] = "view";
    }
    if (!l.now.empty() && l.now != l.name) node["part_of"] = l.now;
    nodes.push_back(std::move(node));
  }
}

}  // namespace

cost::lower_bound least_cycles(const preparation& from, const target& t,
                               const report::prediction& predicted) {
  return cost::lower_bound_of(from.network().integers, t.spec(), predicted.given.memory,
                              from.options().batch);
}

network_report report_on(const preparation& from, const target& t, const plan::program_data& p,
                         const report::prediction& predicted, const emit::provenance& made_from,
                         std::string_view of) {
  const auto flow = report::data_flow_of(p, report::layers_of(from.network()));
  const auto rows = report::rows_of(p.tasks, predicted.estimate.layers);
  network_report r{report::to_json(from.network(), p, t.name(), t.spec(), predicted),
                   {report::data_flow_graph(p, flow, rows)}};
  for (auto level = flow.groups.levels(); level-- > 0;)
    r.data_flows.push_back(report::folded_data_flow_graph(p, flow, rows, level));
  r.json["prediction"]["of"] = of;
  const auto least = least_cycles(from, t, predicted);
  r.json["lower_bound"] = report::to_json<report::json>(least);
  tell_lineage(r.json, from.lineage(), p);
  r.json["provenance"] = report::to_json(made_from);
  if (from.takes_own_preprocessing()) r.json["preprocessing_from"] = from.own_preprocessing();
  r.json["activations"] = report::json::object();
  for (const auto& e : from.network().scales.entries)
    if (const auto seen = from.activations().find(e.layer); seen != from.activations().end())
      r.json["activations"][e.layer] = report::histogram<report::json>(seen->second);
  return r;
}

}  // namespace nvdlac::cli
