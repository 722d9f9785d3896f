// SPDX-License-Identifier: Apache-2.0
// nvdlac configs: what each configuration is and can do, asked of its type.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include <nvdlac/report/json.hpp>
#include <nvdlac/report/table.hpp>

#include "commands.hpp"
#include "configs.hpp"
#include "manner.hpp"

namespace nvdlac::cli {
namespace {

using report::json;

std::vector<std::string> engines(const hw::spec& s) {
  std::vector<std::string> names{"CONV", "SDP"};
  const auto add = [&](bool present, const char* name) {
    if (present) names.emplace_back(name);
  };
  add(s.has_ew(), "EW");
  add(s.sdp_lut, "LUT");
  add(s.has_pdp(), "PDP");
  add(s.has_cdp(), "CDP");
  add(s.bdma, "BDMA");
  add(s.rubik, "RUBIK");
  add(s.winograd, "winograd");
  add(s.weight_compression, "compression");
  add(s.has_sram(), "CVSRAM");
  return names;
}

std::vector<std::string> data_types(const hw::spec& s) {
  std::vector<std::string> names;
  if (s.data_types.int8) names.emplace_back("int8");
  if (s.data_types.int16) names.emplace_back("int16");
  if (s.data_types.fp16) names.emplace_back("fp16");
  return names;
}

const char* map_name(const hw::spec& s) {
  return s.map == hw::register_map::full ? "full" : "small";
}

// "int8; all operators but lrn"
std::string compiles(const target& t) {
  std::vector<std::string> types, without;
  for (const auto& a : t.precisions())
    if (a.reason.empty()) types.push_back(a.what);
  for (const auto& a : t.operators())
    if (!a.reason.empty()) without.push_back(a.what);
  return joined(types, " ") + "; all operators" +
         (without.empty() ? "" : " but " + joined(without, " "));
}

void print_table(target_list targets) {
  report::table t({{.title = "configuration", .leads = true}, {"MACs", true}, {"atom", true},
                   {"CBUF", true}, {"registers"},
                   {"data types"}, {.title = "units", .wraps = true},
                   {.title = "nvdlac compiles", .wraps = true}});
  for (const auto* target : targets) {
    const auto& s = target->spec();
    t.add({std::string(target->name()), text(s.mac_atomic_c, 'x', s.mac_atomic_k),
           text(s.memory_atom, " B"), text(s.cbuf().n / 1024, " KiB"), map_name(s),
           joined(data_types(s), " "), joined(engines(s), " "), compiles(*target)});
  }
  std::cout << t.print(line_width());
}

json describe(const target& t) {
  const auto& s = t.spec();
  json j{{"name", t.name()},
         {"mac_channels", s.mac_atomic_c},
         {"mac_kernels", s.mac_atomic_k},
         {"atom_bytes", s.memory_atom},
         {"cbuf_bytes", s.cbuf().n},
         {"cbuf_banks", s.cbuf_banks},
         {"address_bits", s.address_bits},
         {"register_map", map_name(s)},
         {"data_types", data_types(s)},
         {"units", engines(s)},
         {"operators", json::object()},
         {"precisions", json::object()},
         {"limits", json::array()}};
  const auto answer_of = [](const ability& a) {
    return a.reason.empty() ? json(true) : json(a.reason);
  };
  for (const auto& a : t.operators()) j["operators"][a.what] = answer_of(a);
  for (const auto& a : t.precisions()) j["precisions"][a.what] = answer_of(a);
  for (const auto& b : t.limits()) {
    json limit{{"operator", b.operator_name}, {"number", b.what}, {"most", nullptr}};
    if (b.most) limit.update({{"most", *b.most}, {"beyond", b.beyond}});
    if (b.in_one_layer) limit["in_one_layer"] = *b.in_one_layer;
    j["limits"].push_back(std::move(limit));
  }
  return j;
}

}  // namespace

report::json configurations_in_json(target_list targets) {
  auto all = report::headed("configs");
  all["configurations"] = json::array();
  for (const auto* t : targets) all["configurations"].push_back(describe(*t));
  return all;
}

void add_configs(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("configs", "List the NVDLA configurations and what each can do");
  const auto as_json = std::make_shared<bool>(false);
  sub->add_flag("--json", *as_json, "As JSON, with the limits of every operator");
  sub->footer("Example:\n  nvdlac configs --json");
  sub->callback([=] {
    if (*as_json) std::cout << report::json_text(configurations_in_json(targets));
    else print_table(targets);
  });
}

}  // namespace nvdlac::cli
