// SPDX-License-Identifier: Apache-2.0
#include "layers.hpp"

#include <algorithm>
#include <ostream>

#include <CLI/CLI.hpp>

#include <nvdlac/base/count.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/table.hpp>

#include "manner.hpp"

namespace nvdlac::cli {
namespace {

using report::json;

std::string describe(const sim::cube_size& c) {
  return text(c.batches == 1 ? "" : text(c.batches, " * "), c.channels, 'x', c.height, 'x',
              c.width, ' ', name_of(c.precision));
}

json to_json(const sim::cube_size& c) {
  return {{"batches", c.batches}, {"shape", {c.channels, c.height, c.width}},
          {"precision", name_of(c.precision)}};
}

json to_json(const layers_option::executed& l) {
  const auto& r = l.did;
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
  json j{{"units", r.units}, {"input", to_json(r.in)}, {"output", to_json(r.out)},
         {"macs", r.macs}, {"bytes", clients}, {"saturations", r.saturations},
         {"nan_inputs", r.nan_inputs}, {"nan_outputs", r.nan_outputs}};
  if (!l.name.empty()) j["name"] = l.name;
  return j;
}

// Returns the table of the layers. Counts, but for MACs, that are 0 in all of them have no column.
std::string to_table(const std::vector<layers_option::executed>& all) {
  struct counted {
    const char* title;
    std::uint64_t (*of)(const sim::layer_record&);
  };
  const counted numbers[]{
      {"DRAM read", [](const sim::layer_record& r) { return r.total().read[0]; }},
      {"DRAM written", [](const sim::layer_record& r) { return r.total().written[0]; }},
      {"SRAM read", [](const sim::layer_record& r) { return r.total().read[1]; }},
      {"SRAM written", [](const sim::layer_record& r) { return r.total().written[1]; }},
      {"saturated", [](const sim::layer_record& r) { return r.saturations; }},
      {"NaN in", [](const sim::layer_record& r) { return r.nan_inputs; }},
      {"NaN out", [](const sim::layer_record& r) { return r.nan_outputs; }}};
  const auto any = [&](auto wanted) { return std::ranges::any_of(all, wanted); };
  const bool named = any([](const auto& l) { return !l.name.empty(); });
  std::vector<report::table::column> titles{{.title = "number", .right = true, .leads = true}};
  if (named) titles.push_back({.title = "layer", .shortens = true, .leads = true});
  for (const char* title : {"units", "input", "output"}) titles.push_back({title});
  titles.push_back({"MACs", true});
  std::vector<counted> shown;
  for (const auto& n : numbers)
    if (any([&](const auto& l) { return n.of(l.did) != 0; })) {
      shown.push_back(n);
      titles.push_back({n.title, true});
    }
  report::table t(std::move(titles));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& r = all[i].did;
    std::vector<std::string> row{text(i)};
    if (named) row.push_back(all[i].name);
    row.insert(row.end(), {r.units, describe(r.in), describe(r.out), grouped(r.macs)});
    for (const auto& n : shown) row.push_back(grouped(n.of(r)));
    t.add(std::move(row));
  }
  return t.print(line_width());
}

}  // namespace

void layers_option::add(CLI::App& app) {
  app.add_flag("--layers{-}", where_,
               "Print what each executed layer did; --layers=FILE writes it as JSON");
}

void layers_option::plan(output_set& files) const {
  if (wanted() && to_file()) files.plan("--layers", where_);
}

report::json layers_option::to_json() const {
  json all = json::array();
  for (const auto& r : records_) all.push_back(cli::to_json(r));
  return all;
}

void layers_option::finish(output_set& files) const {
  if (!wanted()) return;
  if (!to_file()) {
    files.messages() << to_table(records_);
    return;
  }
  auto all = report::headed("layers");
  all["layers"] = to_json();
  files.add("--layers", where_, report::json_text(all));
}

}  // namespace nvdlac::cli
