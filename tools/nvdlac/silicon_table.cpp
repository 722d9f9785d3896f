// SPDX-License-Identifier: Apache-2.0
#include "silicon_table.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/report/json.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

json parsed(const std::vector<std::uint8_t>& bytes, const std::string& file) {
  std::set<std::string> keys;
  try {
    return json::parse(bytes, [&](int depth, json::parse_event_t event, json& value) {
      if (event == json::parse_event_t::key && depth == 1)
        if (const auto key = value.get<std::string>(); !keys.insert(key).second)
          throw error(problem{.file = file,
                              .reason = text("has the key '", escape::line(key), "' twice"),
                              .remedy = "leave out one of them"});
      return true;
    });
  } catch (const json::exception& e) {
    throw error(problem{.file = file, .reason = text("is no JSON: ", escape::line(e.what())),
                        .remedy = "docs/explore.md has an example"});
  }
}

}  // namespace

cost::silicon read_silicon(const std::string& file) {
  const auto table = parsed(data::read_file(file), file);
  cost::silicon all{.source = file};
  std::string names = "source";
  std::set<std::string> known{"source"};
  visit_fields(all, [&](const auto& f, double&) {
    names += text(", ", f.name);
    known.emplace(f.name);
  });
  diagnostics wrong;
  const auto refuse = [&](std::string reason) {
    wrong.add({.file = file, .reason = std::move(reason), .remedy = "its keys are " + names});
  };
  if (!table.is_object() || table.empty()) refuse("is no object with numbers");
  wrong.check();
  for (const auto& [key, value] : table.items())
    if (!known.contains(key)) refuse(text("has an unknown key '", escape::line(key), '\''));
  if (const auto source = table.find("source"); source != table.end()) {
    if (source->is_string()) all.source = escape::line(source->get<std::string>());
    else refuse("has a source that is no text");
  }
  visit_fields(all, [&](const auto& f, double& number) {
    const auto given = table.find(f.name);
    if (given == table.end()) return;
    if (given->is_number() && given->template get<double>() >= 0 &&
        given->template get<double>() <= 1e9)
      number = given->template get<double>();
    else refuse(text("has for '", f.name, "' no number from 0 to 1e9"));
  });
  wrong.check();
  return all;
}

}  // namespace nvdlac::cli
