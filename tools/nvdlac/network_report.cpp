// SPDX-License-Identifier: Apache-2.0
#include "network_report.hpp"

#include <nvdlac/report/compilation.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/distributions.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/loaded_data_flow.hpp>
#include <nvdlac/report/prediction.hpp>

namespace nvdlac::cli {

network_report report_on(const preparation& from, const target& t, const plan::program_data& p,
                         const report::prediction& predicted) {
  network_report r{report::to_json(from.network(), p, t.name(), t.spec(), predicted),
                   report::data_flow_graph(
                       p, report::data_flow_of(p, report::layers_of(from.network())),
                       report::rows_of(p.tasks, predicted.estimate.layers))};
  if (from.takes_own_preprocessing()) r.json["preprocessing_from"] = from.own_preprocessing();
  r.json["activations"] = report::json::object();
  for (const auto& e : from.network().scales.entries)
    if (const auto seen = from.activations().find(e.layer); seen != from.activations().end())
      r.json["activations"][e.layer] = report::histogram<report::json>(seen->second);
  return r;
}

}  // namespace nvdlac::cli
