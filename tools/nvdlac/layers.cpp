// SPDX-License-Identifier: Apache-2.0
#include "layers.hpp"

#include <ostream>

#include <CLI/CLI.hpp>

#include <nvdlac/report/json_text.hpp>
#include <nvdlac/report/table.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

std::string describe(const sim::cube_size& c) {
  return text(c.batches == 1 ? "" : text(c.batches, " * "), c.channels, 'x', c.height, 'x',
              c.width, ' ', name_of(c.precision));
}

json to_json(const sim::cube_size& c) {
  return {{"batches", c.batches}, {"channels", c.channels}, {"height", c.height},
          {"width", c.width}, {"precision", name_of(c.precision)}};
}

json to_json(const sim::layer_record& r) {
  json clients = json::object();
  for (std::size_t i = 0; i < r.clients.size(); ++i) {
    const auto& t = r.clients[i];
    const std::pair<const char*, std::uint64_t> counts[]{{"dram_read", t.read[0]},
                                                         {"dram_written", t.written[0]},
                                                         {"sram_read", t.read[1]},
                                                         {"sram_written", t.written[1]}};
    for (const auto& [what, n] : counts)
      if (n != 0) clients[std::string(sim::client_names[i])][what] = n;
  }
  return {{"units", r.units}, {"input", to_json(r.in)}, {"output", to_json(r.out)},
          {"macs", r.macs}, {"bytes", clients}, {"saturations", r.saturations},
          {"nan_inputs", r.nan_inputs}, {"nan_outputs", r.nan_outputs}};
}

std::string to_table(const std::vector<sim::layer_record>& records) {
  report::table t({{"layer", true}, {"units"}, {"input"}, {"output"}, {"MACs", true},
                   {"DRAM read", true}, {"DRAM written", true}, {"SRAM read", true},
                   {"SRAM written", true}, {"saturated", true}, {"NaN in", true},
                   {"NaN out", true}});
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& r = records[i];
    const auto sum = r.total();
    t.add({text(i), r.units, describe(r.in), describe(r.out), text(r.macs), text(sum.read[0]),
           text(sum.written[0]), text(sum.read[1]), text(sum.written[1]), text(r.saturations),
           text(r.nan_inputs), text(r.nan_outputs)});
  }
  return t.print();
}

}  // namespace

void layers_option::add(CLI::App& app) {
  app.add_flag("--layers{-}", where_,
               "Print what each executed layer did; --layers=FILE writes it as JSON");
}

void layers_option::plan(output_set& files) const {
  if (wanted() && to_file()) files.plan("--layers", where_);
}

void layers_option::finish(output_set& files) const {
  if (!wanted()) return;
  if (!to_file()) {
    files.messages() << to_table(records_);
    return;
  }
  json all = json::array();
  for (const auto& r : records_) all.push_back(to_json(r));
  files.add("--layers", where_, report::json_text({{"layers", all}}));
}

}  // namespace nvdlac::cli
